import { SeededRandom } from '../seeded-random.ts';
import { askedIssuance } from './asked-issuance.ts';
import { patientClient } from './client.ts';
import type { Fleet } from './fleet.ts';
import type { Ended } from './verdict.ts';

/** Issues in parallel lines: each starts its next issuance when its last has ended. */
export async function issueInLines(
  fleet: Fleet,
  { lines, issuancesOfALine, name = 'line' }: { lines: number; issuancesOfALine: number; name?: string },
): Promise<Ended[]> {
  const client = patientClient(fleet.caller, { errorsToo: true });
  const runLine = async (line: string): Promise<Ended[]> => {
    const random = new SeededRandom(line);
    const ended: Ended[] = [];
    for (let i = 0; i < issuancesOfALine; i++) {
      // Each issuance has a new file, so that it has to wait for the file.
      const picture = await client.upload(`${line}-${i}.png`);
      const asked = askedIssuance(random, fleet.info, `${line}-${i}`, picture);
      await client.issue(asked.requestId, asked.entries);
      ended.push({ asked, outcome: await client.finish(asked.requestId) });
    }
    return ended;
  };
  return (await Promise.all(Array.from({ length: lines }, (_, i) => runLine(`${name}-${i}`)))).flat();
}
