import { sleep } from '@srr-gateway/common/time';

/** Remembered endpoints: many more than are served at once. Beyond this number all are forgotten. */
const maxEndpoints = 10_000;
/** After a pause, the deliveries of this time may be sent at once. */
const burstMs = 1_000;

/** Keeps deliveries to each endpoint below a rate. One replica at a time sends to it, so memory is enough. */
export class Throttle {
  readonly #gapMs: number;
  readonly #next = new Map<string, number>();

  constructor(ratePerSecond: number) {
    this.#gapMs = 1_000 / ratePerSecond;
  }

  /** Waits for the endpoint's next turn. @throws when aborted. */
  async wait(endpointId: string, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    if (this.#next.size > maxEndpoints) this.#next.clear();
    const at = Math.max(this.#next.get(endpointId) ?? 0, now - burstMs);
    this.#next.set(endpointId, at + this.#gapMs);
    if (at > now) await sleep(at - now, signal);
  }
}
