import type { Server, ServerResponse } from 'node:http';
import { sleep } from '@srr-gateway/common/time';

/** How often a drain checks for open responses. It delays the stop by no more than this. */
const lookMs = 50;
/**
 * An ordinary response is written out within this time. A response that is open longer is an event stream.
 */
const writtenWithinMs = 250;

/** Tracks the requests of a server, so that a stop can let them finish. Call it before the server listens. */
export function drainable(server: Server): { drain(limitMs: number): Promise<void> } {
  const open = new Map<ServerResponse, { events: boolean }>();
  let draining = false;
  server.prependListener('request', (req, res) => {
    open.set(res, { events: req.headers.accept?.includes('text/event-stream') ?? false });
    if (draining) res.setHeader('connection', 'close');
    res.once('close', () => {
      open.delete(res);
      // The connection is idle now. Close it, or the client may send its next request on it.
      if (draining) setImmediate(() => server.closeIdleConnections());
    });
  });
  return {
    /**
     * Accepts no new connections and waits until every request is answered, at most `limitMs`; then cuts off
     * what is still open. Event streams would never end by themselves: they are closed between two events and
     * without a "complete", so that clients reconnect and resume, each after a random delay.
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

/** Spreads the reconnects, so that thousands of subscribers do not reach the next replica all at once. */
const spreadMs = 2_000;

const comeBack = () => `: the gateway stops\nretry: ${Math.ceil(Math.random() * spreadMs)}\n\n`;
