import type { Server, ServerResponse } from 'node:http';
import { sleep } from '@srr-gateway/common/time';

/** How often open answers are looked at while they drain; far below what anybody waits for. */
const lookMs = 50;
/** An answer that is only being written out needs less than this; what is open longer is a stream of events. */
const writtenWithinMs = 250;

/** Follows the requests of a server, so that a stop can let them end. To be called before it listens. */
export function drainable(server: Server): { drain(limitMs: number): Promise<void> } {
  const open = new Map<ServerResponse, { events: boolean }>();
  let draining = false;
  server.prependListener('request', (req, res) => {
    open.set(res, { events: req.headers.accept?.includes('text/event-stream') ?? false });
    if (draining) res.setHeader('connection', 'close');
    res.once('close', () => {
      open.delete(res);
      // The connection is idle now, and nobody may send a next request on it.
      if (draining) setImmediate(() => server.closeIdleConnections());
    });
  });
  return {
    /**
     * Takes no new connection, and waits until every request has its answer, at most `limitMs`; what is
     * then still open is cut off. Event streams would never end: they are closed between two events and
     * without a "complete", which tells clients to come back and resume, each after a moment of its own.
     */
    drain: async (limitMs) => {
      draining = true;
      server.close();
      for (const res of open.keys()) if (!res.headersSent) res.setHeader('connection', 'close');
      const startedAt = Date.now();
      while (open.size > 0 && Date.now() - startedAt < limitMs) {
        await sleep(lookMs);
        if (Date.now() - startedAt < writtenWithinMs) continue;
        for (const [res, { events }] of open)
          if (events && res.headersSent && !res.writableEnded) res.end(comeBack());
      }
      server.closeAllConnections();
    },
  };
}

/** Thousands of subscribers must not knock at the next replica all at once. */
const spreadMs = 2_000;

const comeBack = () => `: the gateway stops\nretry: ${Math.ceil(Math.random() * spreadMs)}\n\n`;
