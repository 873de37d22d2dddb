import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { sleep } from '@srr-gateway/common/time';
import type { GatewayResponse, Hook } from './response.ts';

/** How often a drain checks for open responses. It delays the stop by no more than this. */
const checkMs = 50;
/** For this time each response tells its client to close the connection, so that busy ones are not cut off. */
const graceMs = 100;
/** Spreads the reconnects, so that thousands of subscribers do not reach the next replica all at once. */
const spreadMs = 2_000;

const retryMessage = () => `: the gateway stops\nretry: ${Math.ceil(Math.random() * spreadMs)}\n\n`;

/** The connections of a server. Create it before the server listens. */
export class Connections {
  /** The unfinished responses of each open connection: pipelining gives one connection several. */
  readonly responses = new Map<Socket, Set<GatewayResponse>>();
  readonly #server: Server;
  #draining = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.responses.set(socket, new Set());
      socket.once('close', () => this.responses.delete(socket));
    });
  }

  /** Tracks each response until its end, and then reports it. */
  track(ended: (pathname: string, status: number) => void): Hook {
    return ({ socket }, res, { pathname }) => {
      const open = this.responses.get(socket)?.add(res);
      if (this.#draining) res.shouldKeepAlive = false;
      res.on('close', () => {
        open?.delete(res);
        ended(pathname, res.statusCode);
      });
    };
  }

  countEventStreams(): number {
    return this.#unfinished().filter((res) => res.isEventStream).length;
  }

  /**
   * Stops accepting connections, waits up to `limitMs` for open requests, then closes the rest. Event streams never
   * end by themselves: they are closed between two events, without a "complete", so that each client reconnects and
   * resumes after a random delay.
   */
  async drain(limitMs: number): Promise<void> {
    this.#draining = true;
    // Only stop listening. The close() of node:http also ends idle connections, those with an unread request too.
    NetServer.prototype.close.call(this.#server);
    for (const res of this.#unfinished()) res.shouldKeepAlive = false;
    const over = AbortSignal.timeout(limitMs);
    await sleep(Math.min(graceMs, limitMs));
    this.#server.close();
    for (let open = this.#unfinished(); open.length > 0 && !over.aborted; open = this.#unfinished()) {
      for (const res of open) if (res.isEventStream && !res.writableEnded) res.end(retryMessage());
      await sleep(checkMs);
    }
    this.#server.closeAllConnections();
  }

  #unfinished(): GatewayResponse[] {
    return [...this.responses.values()].flatMap((open) => [...open]);
  }
}
