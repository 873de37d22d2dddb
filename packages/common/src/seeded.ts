import { createHash } from 'node:crypto';

/** The `nth` pseudo-random number of a seed, from 0 up to but not including 1: always the same. */
export function seeded(seed: string, nth: number): number {
  return createHash('sha256').update(`${seed}\n${nth}`).digest().readUInt32BE(0) / 2 ** 32;
}
