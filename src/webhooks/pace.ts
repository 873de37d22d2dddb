import { sleep } from '@srr-gateway/common/time';

/** Endpoints with a remembered rate, many more than are active at once. Beyond this all are reset. */
const maxEndpoints = 10_000;
/** The burst that may be sent after a pause. */
const burstMs = 1_000;

/** Rate limiter of deliveries to each endpoint, in memory, because one replica at a time sends to an endpoint. */
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
