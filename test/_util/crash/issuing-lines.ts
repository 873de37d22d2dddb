import { SeededRandom } from '../seeded-random.ts';
import { retryingClient } from './client.ts';
import type { Fleet } from './fleet.ts';
import type { Ended } from './outcome-checks.ts';
import { randomIssuance } from './random-issuance.ts';

/** Issues in parallel lines: each starts its next issuance when its last has ended. */
export async function issueInLines(
  fleet: Fleet,
  { lines, issuancesOfALine, name = 'line' }: { lines: number; issuancesOfALine: number; name?: string },
): Promise<Ended[]> {
  const client = retryingClient(fleet.caller, { retryErrors: true });
  const runLine = async (line: string): Promise<Ended[]> => {
    const random = new SeededRandom(line);
    const ended: Ended[] = [];
    for (let i = 0; i < issuancesOfALine; i++) {
      // Each issuance has a new file, so that it has to wait for the file.
      const picture = await client.upload(`${line}-${i}.png`);
      const requested = randomIssuance(random, fleet.info, `${line}-${i}`, picture);
      await client.issue(requested.requestId, requested.entries);
      ended.push({ requested, outcome: await client.finish(requested.requestId) });
    }
    return ended;
  };
  return (await Promise.all(Array.from({ length: lines }, (_, i) => runLine(`${name}-${i}`)))).flat();
}
