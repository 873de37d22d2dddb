import { createHash } from 'node:crypto';
import { silent } from '@srr-gateway/common/testing/database';
import { expect, it, onTestFinished } from 'vitest';
import { type Catalog, createCatalog, type Order, type SrrRecord } from '../../src/catalog/catalog.ts';
import { createIpfs } from '../../src/clients/ipfs/ipfs.ts';
import { createSubgraph } from '../../src/clients/subgraph/subgraph.ts';
import { GrowingSubgraph } from '../_util/growing-subgraph.ts';
import { closedPort } from '../_util/http-server.ts';

const records = 100_000;
/** Many more records share one time than fit on a page, so every page ends between equal sort values. */
const perMoment = 5_000;
const page = 999;

const idOf = (i: number) => `0x${createHash('sha256').update(String(i)).digest('hex')}`;
const record = (i: number) => ({
  id: idOf(i),
  // One token id in ten exists in a second contract too, so some records share this sort value as well.
  tokenId: String(1_000_000 + (i % (records * 0.9))),
  at: 1_700_000_000_000 + Math.floor(i / perMoment),
});

async function fill() {
  const index = new GrowingSubgraph();
  index.mint(Array.from({ length: records }, (_, i) => record(i)));
  const server = await index.serve();
  const subgraph = createSubgraph({ endpoints: [server.url], log: silent, cache: true });
  const ipfs = createIpfs({ gateways: [await closedPort()], log: silent });
  onTestFinished(async () => {
    await Promise.all([subgraph.close(), ipfs.close()]);
  });
  const catalog = createCatalog({ subgraph, ipfs, registryAddress: undefined, indexWaitMs: 0 });
  return { index, catalog };
}

async function nextPage(catalog: Catalog, order: Order<SrrRecord>, back: boolean, cursor?: string) {
  const reads = catalog.request(AbortSignal.timeout(60_000));
  const args = back ? { last: page, before: cursor } : { first: page, after: cursor };
  const { edges, pageInfo } = await reads.srrs(args, order, {});
  const rows = edges.map(({ node }) => node);
  return back
    ? { walked: rows.toReversed(), cursor: pageInfo.startCursor, hasMore: pageInfo.hasPreviousPage }
    : { walked: rows, cursor: pageInfo.endCursor, hasMore: pageInfo.hasNextPage };
}

const orders: [name: string, order: Order<SrrRecord>, back: boolean][] = [
  ['newest first', { field: 'createdAt', direction: 'desc', valueOf: (row) => row.createdAt }, false],
  [
    'last changed first, backwards',
    { field: 'updatedAt', direction: 'desc', valueOf: (row) => row.updatedAt },
    true,
  ],
  ['by token id', { field: 'tokenId', direction: 'asc', valueOf: (row) => row.tokenId ?? '' }, false],
];

it.each(orders)(
  'paging through 100,000 records, %s, returns each once while others are minted and changed',
  { timeout: 120_000 },
  async (_name, order, back) => {
    const { index, catalog } = await fill();
    const seen = new Set<string>();
    let rows = 0;
    let split = 0;
    let last: string | undefined;
    let cursor: string | undefined;
    for (let n = 0; ; n++) {
      const next = await nextPage(catalog, order, back, cursor);
      for (const { id } of next.walked) seen.add(id);
      rows += next.walked.length;
      const values = next.walked.map(order.valueOf);
      if (last !== undefined && values[0] === last) split++;
      last = values.at(-1);
      cursor = next.cursor;
      if (!next.hasMore) break;
      // Mint before and behind the current page, with existing sort values and with new ones.
      index.mint(
        [3, records - 1, records + n].map((i) => ({ ...record(i), id: idOf(-1 - i - n * records) })),
      );
      index.touch([idOf(n * 7), idOf(records - 1 - n * 7)], 1_800_000_000_000 + n);
    }
    expect({ rows, distinct: seen.size }).toEqual({ rows: records, distinct: records });
    for (let i = 0; i < records; i++) if (!seen.has(idOf(i))) expect.fail(`record ${i} was left out`);
    // Every page boundary lies between rows of equal value; for token ids only some do.
    if (order.field === 'tokenId') expect(split).toBeGreaterThan(0);
    else expect(split).toBe(Math.ceil(records / page) - 1);
  },
);
