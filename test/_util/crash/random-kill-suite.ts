import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Fleet } from './fleet.ts';
import { RandomKills } from './random-kills.ts';

/** Other values give other moments or a longer run. The work between two kills does not repeat exactly. */
const { CRASH_SEED: seed = 'crash', CRASH_KILLS: kills = '200', CRASH_ROUND = '1' } = process.env;
/**
 * The number of kills after which all work must end. With one, the work ends after each kill. With twenty,
 * several kills hit the same work, in half the time.
 */
const round = Number(CRASH_ROUND);

/** Tests that every issuance ends correctly, and once, after kills at seeded random moments. */
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
      it(`ends every issuance correctly, one mint per record, no lease left: kills ${first} to ${last}`, () =>
        run.round(last - first + 1));
    }
  });
}
