import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Gate } from './server.ts';

/**
 * A turn of the event loop for each request that is sent ahead of the answer before it. Dozens of them come in one
 * piece, and would else be worked off before anybody else is served, or what waits for their reader is looked at.
 */
export function sentAhead(): Gate {
  const open = new WeakMap<Socket, { answers: number; turn: Promise<void> }>();
  return ({ socket }, res) => {
    const known = open.get(socket) ?? { answers: 0, turn: Promise.resolve() };
    open.set(socket, known);
    res.once('close', () => known.answers--);
    if (known.answers++ === 0) return true;
    known.turn = known.turn.then(() => setImmediate());
    return known.turn.then(() => !socket.destroyed);
  };
}
