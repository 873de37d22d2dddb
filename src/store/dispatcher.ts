/** A job taken from the queue. `owner` is the issuer that it is for. */
export interface TakenJob {
  owner: string;
  run(): Promise<void>;
}

/** How many jobs run at once, and where they come from. */
export interface DispatcherOptions {
  /** The most jobs at once. */
  places: number;
  /** The most jobs of one owner at once, so that others are not kept waiting. */
  perOwner: number;
  /** Takes the next due job that belongs to none of these owners; undefined when there is none. */
  take(busyOwners: string[]): Promise<TakenJob | undefined>;
  onError(error: unknown): void;
}

/**
 * Takes jobs one after the other while places are free. A wake-up thus costs one query for each job and one
 * that finds nothing; independent workers would all query at every wake-up.
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

  /** Call it when there may be a job, or a free place. */
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

  /** Takes no more jobs, and waits for the running ones. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#looking;
    await Promise.all(this.#running);
  }
}
