import { sleep } from '@srr-gateway/common/time';

/** Endpoints whose pace is remembered, many more than are sent to at once: beyond it all begin anew. */
const maxEndpoints = 10_000;
/** What may be sent at once after a pause. */
const burstMs = 1_000;

/** Keeps deliveries to each endpoint below a rate. One replica at a time sends to it, so memory is enough. */
export class Pace {
  readonly #gapMs: number;
  readonly #next = new Map<string, number>();

  constructor(ratePerSecond: number) {
    this.#gapMs = 1_000 / ratePerSecond;
  }

  /** Waits for the endpoint's next turn. @throws when aborted. */
  async turn(endpointId: string, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    if (this.#next.size > maxEndpoints) this.#next.clear();
    const at = Math.max(this.#next.get(endpointId) ?? 0, now - burstMs);
    this.#next.set(endpointId, at + this.#gapMs);
    if (at > now) await sleep(at - now, signal);
  }
}
