import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Gate } from './server.ts';

/**
 * A turn of the event loop for each request that is sent ahead of the answer before it. Dozens of them come in one
 * piece, and would else be worked off before anybody else is served, or what waits for their reader is looked at.
 */
export function sentAhead(): Gate {
  const turns = new WeakMap<Socket, Promise<void>>();
  return ({ socket }, res) => {
    // Node gives the socket to one answer at a time.
    if (res.socket) return true;
    const turn = (turns.get(socket) ?? Promise.resolve()).then(() => setImmediate());
    turns.set(socket, turn);
    return turn.then(() => !socket.destroyed);
  };
}
