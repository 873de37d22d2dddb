import type { LoadAnswer } from './load.ts';

/** What one rate told. */
export interface Step extends LoadAnswer {
  perSecond: number;
  /** Whether everything was answered, and p99 within the limit. */
  holds: boolean;
  /** Processor milliseconds for each request, by who used them. */
  cost: Record<string, number>;
}

/** Halvings of the gap between a rate that held and one that did not: they leave a twelfth. */
const halvings = 3;

/**
 * Doubles the rate until it no longer holds in two tries, and then halves the gap. Returns all steps by their rates; the
 * greatest that holds is the throughput.
 */
export async function climb(first: number, measure: (perSecond: number) => Promise<Step>): Promise<Step[]> {
  const steps: Step[] = [];
  const step = async (perSecond: number) => {
    const rate = Math.round(perSecond);
    const first = await measure(rate);
    // One pause of a shared machine must not end the climb.
    const one = first.holds ? first : await measure(rate);
    steps.push(one);
    return one.holds;
  };
  let holds = 0;
  let breaks = first;
  while (await step(breaks)) {
    holds = breaks;
    breaks *= 2;
  }
  for (let i = 0; i < halvings && holds > 0; i++) {
    const middle = Math.sqrt(holds * breaks);
    if (await step(middle)) holds = middle;
    else breaks = middle;
  }
  return steps.toSorted((a, b) => a.perSecond - b.perSecond);
}

export const throughput = (steps: Step[]): Step | undefined => steps.findLast(({ holds }) => holds);
