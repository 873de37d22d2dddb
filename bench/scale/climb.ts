import type { LoadAnswer } from './load.ts';

/** The results of one rate. */
export interface Step extends LoadAnswer {
  perSecond: number;
  /** Whether all requests had responses, with p99 within the limit. */
  holds: boolean;
  /** Processor milliseconds of each request, by process. */
  cost: Record<string, number>;
}

/** Bisections of the gap between a rate that held and one that did not; the remaining gap is a twelfth. */
const halvings = 3;

/**
 * Doubles the rate until it fails in two tries, and then bisects the gap. Returns all steps by their rates;
 * the greatest rate that holds is the throughput.
 */
export async function climb(first: number, measure: (perSecond: number) => Promise<Step>): Promise<Step[]> {
  const steps: Step[] = [];
  const step = async (perSecond: number) => {
    const rate = Math.round(perSecond);
    const first = await measure(rate);
    // One pause of a shared machine must not end the search.
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
