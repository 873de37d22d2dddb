import type { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '@srr-gateway/common/log';
import { sleep } from '@srr-gateway/common/time';
import { HttpError } from '../lib/http-error.ts';
import { callerAddress } from './caller-address.ts';
import { beforeHeaders, sendError } from './respond.ts';
import type { Hook } from './router.ts';

/** How often a drain checks for open responses. It delays the stop by no more than this. */
const checkMs = 50;
/** Spreads the reconnects, so that thousands of subscribers do not reach the next replica all at once. */
const spreadMs = 2_000;

const comeBack = () => `: the gateway stops\nretry: ${Math.ceil(Math.random() * spreadMs)}\n\n`;

/** A request only says what it would accept, so the response's content type decides. */
export const isEventStream = (res: ServerResponse): boolean =>
  String(res.getHeader('content-type')).startsWith('text/event-stream');

/** The connections of a server with their unfinished responses. Create it before the server listens. */
export class OpenResponses {
  /** A connection with several responses sends requests before it has the answers (pipelining). */
  readonly byConnection = new Map<Socket, Set<ServerResponse>>();
  readonly #server: Server;
  #draining = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.byConnection.set(socket, new Set());
      socket.once('close', () => this.byConnection.delete(socket));
    });
    server.prependListener('request', (req, res) => this.#track(req, res));
  }

  /** Open event streams. */
  countEventStreams(): number {
    return this.#all().filter((res) => res.headersSent && isEventStream(res)).length;
  }

  /**
   * Accepts no new connections and waits until every request is answered, at most `limitMs`; then cuts off
   * what is still open. Event streams would never end by themselves: they are closed between two events and
   * without a "complete", so that clients reconnect and resume, each after a random delay.
   */
  async drain(limitMs: number): Promise<void> {
    this.#draining = true;
    this.#server.close();
    for (const res of this.#all()) if (!res.headersSent) res.setHeader('connection', 'close');
    const startedAt = Date.now();
    for (let open = this.#all(); open.length > 0 && Date.now() - startedAt < limitMs; open = this.#all()) {
      for (const res of open)
        if (res.headersSent && !res.writableEnded && isEventStream(res)) res.end(comeBack());
      await sleep(checkMs);
    }
    this.#server.closeAllConnections();
  }

  #track({ socket }: IncomingMessage, res: ServerResponse): void {
    const responses = this.byConnection.get(socket);
    responses?.add(res);
    if (this.#draining) res.setHeader('connection', 'close');
    res.once('close', () => {
      responses?.delete(res);
      // The connection is idle now. Close it, or the client may send its next request on it.
      if (this.#draining) setImmediate(() => this.#server.closeIdleConnections());
    });
  }

  #all(): ServerResponse[] {
    return [...this.byConnection.values()].flatMap((responses) => [...responses]);
  }
}

/**
 * Limits the event streams and sockets that one address has open, because each takes memory for as long as it
 * is open. Counted by address and not by issuer: all readers of a front-end may use the token of one issuer.
 */
export function streamLimit(max: number, trustedProxies: number, log: Logger) {
  const open = new Map<string, number>();
  /** Counts a stream until `end` emits `close`. Returns why it is refused, or undefined when it is counted. */
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
  /**
   * Looks at the response's type: most clients accept event streams with each of their queries. A refused
   * stream is answered by an error before its first byte, and its writer sees a response that has ended.
   */
  const hook: Hook = (req, res) => {
    if (!req.headers.accept?.includes('text/event-stream')) return;
    beforeHeaders(res, () => {
      const refusal = isEventStream(res) ? hold(req, res) : undefined;
      if (refusal === undefined) return true;
      res.removeHeader('content-encoding');
      sendError(req, res, new HttpError(429, refusal), log);
      return false;
    });
  };
  return { hook, hold };
}
