import type { Deployment, Times } from './deployment.ts';

/** Processor milliseconds for each of something, by who used them. */
export type Cost = Record<keyof Times, number>;

export const round = (value: number, digits = 3) => Number(value.toFixed(digits));

/** Runs something and divides the processor time of everybody by what it counted. */
export async function costing<T>(
  deployment: Deployment,
  run: () => Promise<T>,
  countOf: (result: T) => number,
) {
  const before = deployment.times();
  const result = await run();
  const after = deployment.times();
  const parts = Object.keys(after) as (keyof Times)[];
  const each = (part: keyof Times) => round(((after[part] - before[part]) * 1000) / countOf(result));
  return { result, cost: Object.fromEntries(parts.map((part) => [part, each(part)])) as Cost };
}
