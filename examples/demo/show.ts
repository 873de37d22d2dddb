import { setTimeout as sleep } from 'node:timers/promises';
import { DemoError, type Gateway, retrying } from './client.ts';
import { checkPicture, compare } from './compare.ts';
import { type Joined, joined, type Srr } from './joined.ts';
import type { People } from './people.ts';
import type { Work } from './records.ts';
import { printTable } from './table.ts';

/** Reads the records back, prints them, and fails with a list of whatever is not as it was ordered. */
export async function show(
  gateway: Gateway,
  order: { id: string; works: Work[]; people: People; collection: string },
): Promise<void> {
  let faults: string[] = [];
  let records: { work: Work; srr: Srr | null }[] = [];
  // The subgraph follows the chain with a delay, and IPFS the subgraph; half a minute is ample for both.
  for (const giveUpAt = Date.now() + 30_000; ; await sleep(500)) {
    const { issuance } = await retrying('reading the records', () =>
      gateway.request<Joined>(joined, { id: order.id }),
    );
    const nodes = new Map(issuance?.entries.edges.map(({ node }) => [node.externalId, node]));
    records = order.works.map((work) => ({ work, srr: nodes.get(work.externalId)?.srr ?? null }));
    faults = records.flatMap(({ work, srr }) => compare(work, srr, order));
    if (faults.length === 0 || Date.now() > giveUpAt) break;
  }
  printTable(records);
  for (const { srr } of records) faults.push(...(await checkPicture(srr)));
  if (faults.length > 0)
    throw new DemoError(
      `The records are not as ordered:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    );
}
