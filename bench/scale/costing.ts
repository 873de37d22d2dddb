import type { Deployment, Times } from './deployment.ts';

/** Processor milliseconds per unit of work, by process. */
export type Cost = Record<keyof Times, number>;

export const round = (value: number, digits = 3) => Number(value.toFixed(digits));

/** Runs some work, and divides the processor time of each process by the units of work that it returns. */
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
