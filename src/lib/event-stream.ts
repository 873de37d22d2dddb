import type { ServerResponse } from 'node:http';

export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  // A proxy that collects or compresses an answer holds its events back.
  'content-encoding': 'none',
  'x-accel-buffering': 'no',
};

/** Proxies cut a silent connection after 30 to 60 s. */
const heartbeatMs = 12_000;

/** Says now and then that the stream lives, until it is closed. */
export function keepAlive(res: ServerResponse): void {
  const beat = setInterval(() => {
    // A reader that takes nothing must not be given more to hold.
    if (!res.writableNeedDrain && !res.writableEnded) res.write(':\n\n');
  }, heartbeatMs);
  res.once('close', () => clearInterval(beat));
}

/** When the reader has taken what was written, or the stream is closed. */
export function untilDrained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      res.off('drain', settle).off('close', settle);
      resolve();
    };
    res.on('drain', settle).on('close', settle);
  });
}
