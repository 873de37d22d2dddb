import type { SeededRandom } from '../seeded-random.ts';

/** When a gateway is killed. The first two are counted from the mutations that are sent with the kill. */
export type Moment =
  /** Where it passes its n-th checkpoint: the same place in a repeated run, as far as its work is the same. */
  | { at: 'checkpoint'; nth: number }
  /** Between any two instructions. */
  | { at: 'millisecond'; ms: number }
  /** Killed at once, and again this long after its new launch: in the middle of its own recovery. */
  | { at: 'start'; ms: number };

/** Three to five issuances pass some fifty checkpoints, most of them within two seconds. */
export function randomMoment(random: SeededRandom): Moment {
  const kind = random.integer(1, 10);
  if (kind <= 5) return { at: 'checkpoint', nth: random.integer(1, 40) };
  if (kind <= 9) return { at: 'millisecond', ms: random.integer(0, 2_000) };
  return { at: 'start', ms: random.integer(200, 1_500) };
}
