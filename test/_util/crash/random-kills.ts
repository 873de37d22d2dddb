import { expect } from 'vitest';
import { SeededRandom } from '../seeded-random.ts';
import { type RetryingClient, retryingClient } from './client.ts';
import type { Fleet } from './fleet.ts';
import { type Kill, kill } from './kill.ts';
import { randomKillTime } from './kill-time.ts';
import { type Ended, OutcomeChecks } from './outcome-checks.ts';
import { type RandomIssuance, randomIssuance } from './random-issuance.ts';
import { resendFailures } from './resend-failures.ts';
import { Tally } from './tally.ts';
import { unreleasedIssuances } from './unreleased-issuances.ts';

/** Kills gateways at seeded moments while issuances run, and checks the outcomes. */
export class RandomKills {
  readonly #fleet: Fleet;
  readonly #random: SeededRandom;
  readonly #client: RetryingClient;
  readonly #verdict: OutcomeChecks;
  readonly #startedAt = Date.now();
  readonly #places = new Tally();
  readonly #states = new Tally();
  #kills = 0;
  #bothKilled = 0;

  constructor(fleet: Fleet, seed: string) {
    this.#fleet = fleet;
    this.#random = new SeededRandom(seed);
    this.#client = retryingClient(fleet.caller);
    this.#verdict = new OutcomeChecks(fleet.info);
  }

  /** Kills `count` times without waiting for the work to end; then all work must end correctly. */
  async round(count: number): Promise<void> {
    const requested: RandomIssuance[] = [];
    const kills: Kill[] = [];
    await this.#fleet.revive();
    for (let i = 0; i < count; i++) {
      const fresh = await this.#ask();
      requested.push(...fresh.issuances);
      kills.push(await this.#killOnce());
      await this.#fleet.revive();
      await fresh.answered;
      await this.#verdict.expectNoDuplicates();
    }
    const ended = await this.#finish(requested);
    this.#fleet.expectNoExit();
    await this.#verdict.expectOutcomes(ended);
    expect(await unreleasedIssuances(this.#fleet), 'leases that are stuck').toEqual([]);
    this.#count(kills, ended);
  }

  /** Sends three to five issuances at once; their responses may come only after the next start. */
  async #ask(): Promise<{ issuances: RandomIssuance[]; answered: Promise<unknown> }> {
    const name = `kill-${++this.#kills}`;
    // Each issuance has a new file, so that it has to wait for the file.
    const picture = await this.#client.upload(`${name}.png`);
    const issuances = Array.from({ length: this.#random.integer(3, 5) }, (_, i) =>
      randomIssuance(this.#random, this.#fleet.info, `${name}-${i}`, picture),
    );
    const answered = Promise.all(
      issuances.map(({ requestId, entries }) => this.#client.issue(requestId, entries)),
    );
    // This promise is awaited only after the kill.
    answered.catch(() => {});
    return { issuances, answered };
  }

  async #killOnce(): Promise<Kill> {
    const { replicas } = this.#fleet;
    const both = replicas.length > 1 && this.#random.chance(0.15);
    const victims = both ? replicas : [this.#random.pick(replicas)];
    const done = await kill(this.#fleet, victims, randomKillTime(this.#random));
    if (!both) return done;
    // At a checkpoint only the first replica to reach it dies.
    await Promise.all(replicas.map((one) => one.stop('SIGKILL')));
    this.#bothKilled += 1;
    return done;
  }

  async #finish(requested: RandomIssuance[]): Promise<Ended[]> {
    const over = new AbortController();
    const resending = resendFailures(this.#fleet.info, over.signal);
    try {
      return await Promise.all(
        requested.map(async (one) => ({ requested: one, outcome: await this.#client.finish(one.requestId) })),
      );
    } finally {
      over.abort();
      await resending;
    }
  }

  #count(kills: Kill[], ended: Ended[]): void {
    for (const { at, where } of kills) {
      this.#places.add(where);
      for (const { outcome } of ended) {
        const state = outcome.history.findLast((change) => new Date(change.at) <= at)?.status;
        if (state && !/COMPLETED|REJECTED/.test(state)) this.#states.add(state);
      }
    }
  }

  toString(): string {
    const both = this.#fleet.replicas.length > 1 ? ` (${this.#bothKilled} of both replicas)` : '';
    return [
      `kills: ${this.#places.total}${both}: ${this.#places}`,
      `issuances under way at the kills: ${this.#states.total}: ${this.#states}`,
      `${this.#verdict}`,
      `time: ${Math.round((Date.now() - this.#startedAt) / 1000)} s`,
    ].join('\n  ');
  }
}
