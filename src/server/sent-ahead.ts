import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Gate } from './server.ts';

/**
 * Gives each pipelined request a turn of the event loop of its own. Dozens of them arrive in one read;
 * without this they would all be executed before another caller is served, and before unread responses are
 * checked.
 */
export function sentAhead(): Gate {
  const turns = new WeakMap<Socket, Promise<void>>();
  return ({ socket }, res) => {
    // Node assigns the socket to one response at a time, so a response that has it is not queued behind
    // another.
    if (res.socket) return true;
    const turn = (turns.get(socket) ?? Promise.resolve()).then(() => setImmediate());
    turns.set(socket, turn);
    return turn.then(() => !socket.destroyed);
  };
}
