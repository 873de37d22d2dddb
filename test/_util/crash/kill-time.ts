import type { SeededRandom } from '../seeded-random.ts';

/** When a gateway is killed. The first two kinds count from the mutations that are sent with the kill. */
export type KillTime =
  /** At its n-th checkpoint, which is the same place in a repeated run if the work is the same. */
  | { at: 'checkpoint'; nth: number }
  /** Between any two instructions. */
  | { at: 'millisecond'; ms: number }
  /** At once, and again this long after the next launch, during recovery. */
  | { at: 'start'; ms: number };

/** Three to five issuances pass about fifty checkpoints, most of them within two seconds. */
export function randomKillTime(random: SeededRandom): KillTime {
  const kind = random.integer(1, 10);
  if (kind <= 5) return { at: 'checkpoint', nth: random.integer(1, 40) };
  if (kind <= 9) return { at: 'millisecond', ms: random.integer(0, 2_000) };
  return { at: 'start', ms: random.integer(200, 1_500) };
}
