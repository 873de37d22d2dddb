import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Fleet } from './fleet.ts';
import { RandomKills } from './random-kills.ts';

/** Set them for other choices or a longer run. What the processes do between the kills is theirs. */
const { CRASH_SEED: seed = 'crash', CRASH_KILLS: kills = '200', CRASH_ROUND = '1' } = process.env;
/**
 * Kills before all work must be over. One: each kill is followed to the end of what it hit. With twenty they
 * pile up on work in flight, in half the time.
 */
const round = Number(CRASH_ROUND);

/** Tests that kills at seeded random moments leave every issuance to end true, and once. */
export function randomKillSuite(who: string, start: () => Promise<Fleet>): void {
  describe(`${who}, at ${kills} random moments (seed "${seed}")`, () => {
    let fleet: Fleet;
    let run: RandomKills;
    beforeAll(async () => {
      fleet = await start();
      run = new RandomKills(fleet, seed);
    });
    afterAll(async () => {
      process.stdout.write(`\n${who}\n  ${run}\n\n`);
      await fleet?.stop();
    });

    for (let first = 1; first <= Number(kills); first += round) {
      const last = Math.min(first + round - 1, Number(kills));
      it(`ends every issuance true, each record minted once, no lease stuck: kills ${first} to ${last}`, () =>
        run.round(last - first + 1));
    }
  });
}
