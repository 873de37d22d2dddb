import { hash } from 'node:crypto';

/** The `nth` pseudo-random number of a seed, from 0 up to but not including 1: always the same. */
export function seeded(seed: string, nth: number): number {
  return hash('sha256', `${seed}\n${nth}`, 'buffer').readUInt32BE(0) / 2 ** 32;
}
