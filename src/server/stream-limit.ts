import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { HttpError } from '../lib/http-error.ts';
import { callerAddress } from './caller-address.ts';
import type { Gate } from './server.ts';

/**
 * Limits the event streams and sockets that one address has open, because each takes memory for as long as it
 * is open. Counted by address and not by issuer: all readers of a front-end may use the token of one issuer.
 */
export function streamLimit(max: number, trustedProxies: number) {
  const open = new Map<string, number>();
  /**
   * Counts a stream until `end` emits `close`. Returns why it is refused, or undefined when it is counted.
   */
  const hold = (req: IncomingMessage, end: EventEmitter): string | undefined => {
    const address = callerAddress(req, trustedProxies);
    if (address === undefined) return undefined;
    const held = open.get(address) ?? 0;
    if (held >= max)
      return `This address has ${held} event streams and sockets open, and may have ${max} (MAX_STREAMS).`;
    open.set(address, held + 1);
    end.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
    return undefined;
  };
  const gate: Gate = (req, res) => {
    if (!req.headers.accept?.includes('text/event-stream')) return true;
    const refusal = hold(req, res);
    if (refusal === undefined) return true;
    throw new HttpError(429, refusal);
  };
  return { gate, hold };
}
