import { expect, it } from 'vitest';
import type { CollectionContext } from './creation.ts';
import { follow } from './follow.ts';

const now = Date.UTC(2030, 0, 1);
const ago = (seconds: number) => new Date(now - seconds * 1000);
const day = 86_400;

/** Seconds until the next query of the subgraph, which does not show the collection yet. */
async function pause({ attempts, updated, hinted }: { attempts: number; updated: number; hinted?: number }) {
  const times = { read_at: new Date(now), updated_at: ago(updated), created_at: ago(2 * day) };
  const result = await follow({
    deps: { timeouts: { reconcileAfter: 120_000 }, deployedCollection: async () => ({}) },
    row: { ...times, attempts, held: null, ask_index_at: hinted === undefined ? null : ago(hinted) },
  } as unknown as CollectionContext);
  return (result as { afterMs: number }).afterMs / 1000;
}

it('the subgraph is queried less often the longer a collection stays without news', async () => {
  expect(await pause({ attempts: 0, updated: 130 })).toBeLessThanOrEqual(6.5);
  expect(await pause({ attempts: 40, updated: 600 })).toBeLessThanOrEqual(60);
  expect(await pause({ attempts: 90, updated: 7_200 })).toBe(360);
  expect(await pause({ attempts: 900, updated: 30 * day })).toBe(3_600);
});

it('the subgraph is queried often again after a delivery that needs proof', async () => {
  expect(await pause({ attempts: 900, updated: day, hinted: 10 })).toBeLessThanOrEqual(60);
});
