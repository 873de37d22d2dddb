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

/**
 * Writes server-sent events to a response whose headers are sent. A writer waits until the reader has taken
 * its last message, so that what is not read stays at its source.
 */
export class EventStream {
  readonly #res: ServerResponse;
  #drained: Promise<void> | undefined;

  constructor(res: ServerResponse, opening: string) {
    this.#res = res;
    res.write(opening);
    const heartbeat = setInterval(() => {
      // While the reader does not read, heartbeats would only pile up in memory.
      if (!res.writableNeedDrain && !res.writableEnded) res.write(':\n\n');
    }, heartbeatMs);
    res.once('close', () => clearInterval(heartbeat));
  }

  /** Whether the reader has left, or the gateway has ended the stream to stop. */
  get isClosed(): boolean {
    return this.#res.destroyed || this.#res.writableEnded;
  }

  /**
   * Writes a message. Undefined when the next one may follow at once; else resolves when the reader has
   * caught up, or when the stream is closed.
   */
  send(message: string | Uint8Array): Promise<void> | undefined {
    if (this.isClosed) return undefined;
    const { socket } = this.#res;
    // Otherwise Node would hold the messages of all streams until the end of the turn.
    socket?.cork();
    const hasRoom = this.#res.write(message);
    socket?.uncork();
    return hasRoom ? undefined : this.#caughtUp();
  }

  end(message: string | Uint8Array): void {
    if (!this.isClosed) this.#res.end(message);
  }

  async #caughtUp(): Promise<void> {
    // Another writer of the stream may have filled it again.
    while (this.#res.writableNeedDrain && !this.isClosed) {
      // All writers share one wait, so that the response has one listener and not one for each.
      this.#drained ??= this.#untilDrained().finally(() => {
        this.#drained = undefined;
      });
      await this.#drained;
    }
  }

  #untilDrained(): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        this.#res.off('drain', settle).off('close', settle);
        resolve();
      };
      this.#res.on('drain', settle).on('close', settle);
    });
  }
}
