/** A job that was taken from the queue. */
export interface TakenJob {
  owner: string;
  run(): Promise<void>;
}

export interface DispatcherOptions {
  /** Jobs at once, and of one owner. */
  places: number;
  perOwner: number;
  /** The next job that is due and of none of these owners. */
  take(busyOwners: string[]): Promise<TakenJob | undefined>;
  onError(error: unknown): void;
}

/**
 * Takes jobs one after the other while places are free, so that a wake-up costs a query for each job and one
 * that finds nothing; workers that look by themselves would all look at every wake-up.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #running = new Set<Promise<void>>();
  readonly #ofOwner = new Map<string, number>();
  #looking: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** There may be a job, or a place for one. */
  wake(): void {
    this.#again = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  async #look(): Promise<void> {
    const { places, perOwner, take, onError } = this.#options;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        while (this.#running.size < places && !this.#stopped) {
          const busy = [...this.#ofOwner].filter(([, jobs]) => jobs >= perOwner).map(([owner]) => owner);
          const job = await take(busy);
          if (!job) break;
          this.#start(job);
        }
      } catch (error) {
        onError(error);
      }
    }
  }

  #start({ owner, run }: TakenJob): void {
    const { onError } = this.#options;
    this.#ofOwner.set(owner, (this.#ofOwner.get(owner) ?? 0) + 1);
    const running = run()
      .catch(onError)
      .finally(() => {
        const left = (this.#ofOwner.get(owner) ?? 1) - 1;
        if (left > 0) this.#ofOwner.set(owner, left);
        else this.#ofOwner.delete(owner);
        this.#running.delete(running);
        this.wake();
      });
    this.#running.add(running);
  }

  /** Takes no more; returns when what runs has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#looking;
    await Promise.all(this.#running);
  }
}
