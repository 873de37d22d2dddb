import type { OutageLog } from '@srr-gateway/common/outage-log';
import { backoff } from '@srr-gateway/common/time';

interface Follower {
  /** Does one step; true when there is more to do at once. */
  round(): Promise<boolean>;
}

/** Most failures are a restart of the database or the node: retry soon at first, then every few seconds. */
const retry = { firstMs: 100, maxMs: 5_000 };

/** Runs a follower's rounds one after another: when woken, and at the latest after the poll interval. */
export class FollowLoop {
  readonly #follower: Follower;
  readonly #pollMs: number;
  readonly #outage: OutageLog;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #woken = false;
  #stopped = false;
  #failures = 0;

  /** `outage` logs the outage while rounds fail. */
  constructor(follower: Follower, pollMs: number, outage: OutageLog) {
    this.#follower = follower;
    this.#pollMs = pollMs;
    this.#outage = outage;
  }

  start(): void {
    this.wake();
  }

  /** Starts a round now; when one is running, another follows it. */
  wake(): void {
    if (this.#stopped) return;
    this.#woken = true;
    if (this.#running) return;
    clearTimeout(this.#timer);
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#stopped) return;
      const wait = this.#failures === 0 ? this.#pollMs : backoff(this.#failures, retry);
      this.#timer = setTimeout(() => this.wake(), wait);
    });
  }

  /** Resolves when the running round has ended; no other starts. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#woken && !this.#stopped) {
      this.#woken = false;
      try {
        if (await this.#follower.round()) this.#woken = true;
        this.#failures = 0;
        this.#outage.succeeded();
      } catch (error) {
        this.#failures++;
        if (!this.#stopped) this.#outage.failed(error);
      }
    }
  }
}
