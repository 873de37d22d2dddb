import type { ServerResponse } from 'node:http';

/** The headers of every server-sent event stream. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  // A proxy that buffers or compresses the answer would hold events back.
  'content-encoding': 'none',
  'x-accel-buffering': 'no',
};

/** Proxies cut a silent connection after 30 to 60 s; this is well below. */
const heartbeatMs = 12_000;

/** Writes a comment every 12 s until the stream is closed, so that proxies keep it open. */
export function keepAlive(res: ServerResponse): void {
  const beat = setInterval(() => {
    // While the reader does not read, heartbeats would only pile up in memory.
    if (!res.writableNeedDrain && !res.writableEnded) res.write(':\n\n');
  }, heartbeatMs);
  res.once('close', () => clearInterval(beat));
}

/** Resolves when the reader has read what was written, or when the stream is closed. */
export function untilDrained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      res.off('drain', settle).off('close', settle);
      resolve();
    };
    res.on('drain', settle).on('close', settle);
  });
}
