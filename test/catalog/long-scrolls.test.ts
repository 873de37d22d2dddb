import { randomUUID } from 'node:crypto';
import { control } from '@srr-gateway/sandbox/testing/control';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import type { Data } from '../_util/graphql-caller.ts';
import { untilSeeded } from '../_util/seeded-world.ts';

// A client scrolls for a long time, while the block that it began at is pruned or reorganised away.

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ sandbox: { fixtures: true }, env: { RATE_LIMIT: '0' } });
  await untilSeeded(gateway.info);
}, 120_000);
afterAll(() => gateway?.stop());

const pollOptions = { timeout: 15_000, interval: 100 };
const idsOf = (connection: Data): string[] => connection.edges.map(({ node }: Data) => node.id);

/** Scrolls to the end, past an expired cursor by continueAfter; calls `meanwhile` after the third page. */
async function scroll(orderBy: string, meanwhile: () => Promise<void>, way: 'after' | 'before' = 'after') {
  const [size, next, more] =
    way === 'after' ? ['first', 'endCursor', 'hasNextPage'] : ['last', 'startCursor', 'hasPreviousPage'];
  const text = `query ($cursor: String) {
    srrs(${size}: 25, ${way}: $cursor, orderBy: ${orderBy}) { pageInfo { ${next} ${more} } edges { node { id } } }
  }`;
  const seen: string[] = [];
  let expired = 0;
  let cursor: string | null = null;
  for (let page = 1; ; page++) {
    const { data, errors } = await gateway.anonymous.ask(text, { cursor });
    const [error] = errors ?? [];
    if (error) {
      expect(error.extensions).toMatchObject({ code: 'CURSOR_EXPIRED', inputPath: [way] });
      cursor = (error.extensions as unknown as { continueAfter: string }).continueAfter;
      expired++;
      continue;
    }
    seen.push(...idsOf(data.srrs));
    if (!data.srrs.pageInfo[more as string]) return { seen, expired };
    cursor = data.srrs.pageInfo[next as string];
    if (page === 3) await meanwhile();
  }
}

/** Mines a transaction, so that the newest block can be replaced, and waits until the gateway reads there. */
async function mineCollection(): Promise<void> {
  const name = randomUUID();
  const { createCollection } = await gateway.caller.data(
    `mutation ($input: CreateCollectionInput!) { createCollection(input: $input) { userErrors { message } } }`,
    { input: { name, symbol: 'X' } },
  );
  expect(createCollection.userErrors).toEqual([]);
  // The subgraph may have the block a moment before the gateway checks for it.
  const names = async () => {
    const { collections } = await gateway.anonymous.data(
      '{ collections(first: 100) { edges { node { name } } } }',
    );
    return (collections.edges as { node: { name: string } }[]).map(({ node }) => node.name);
  };
  await expect.poll(names, pollOptions).toContain(name);
}

/** Replaces the newest block, and waits until the subgraph has the new one. */
async function reorganise(): Promise<void> {
  const { block } = (await meta())._meta;
  await control(gateway.sandbox.sandbox, 'reorg', { depth: 1, records: 'again' });
  await expect.poll(async () => (await meta())._meta.block.hash, pollOptions).not.toBe(block.hash);
}

async function meta(): Promise<Data> {
  const response = await fetch(gateway.info.subgraphUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ _meta { block { number hash } } }' }),
  });
  return ((await response.json()) as Data).data;
}

describe('a scroll over all records', () => {
  it.each([
    ['CREATED_AT_DESC', 'after'],
    ['TOKEN_ID_ASC', 'after'],
    ['UPDATED_AT_ASC', 'before'],
  ] as const)(
    'continues after a reorganisation, ordered by %s with "%s"',
    { timeout: 60_000 },
    async (orderBy, way) => {
      await mineCollection();
      const { srrs } = await gateway.anonymous.data('{ srrs(first: 999) { edges { node { id } } } }');
      const { seen, expired } = await scroll(orderBy, reorganise, way);
      expect(expired).toBe(1);
      expect(seen.length).toBeGreaterThan(300);
      expect(seen.toSorted()).toEqual(idsOf(srrs).toSorted());
    },
  );

  it('continues after the subgraph pruned its block', { timeout: 60_000 }, async () => {
    const { srrs } = await gateway.anonymous.data('{ srrs(first: 999) { edges { node { id } } } }');
    onTestFinished(() => control(gateway.sandbox.sandbox, 'settings', { indexEarliestBlock: 1 }));
    const { seen, expired } = await scroll('CREATED_AT_DESC', async () => {
      await mineCollection();
      const { _meta } = await meta();
      await control(gateway.sandbox.sandbox, 'settings', { indexEarliestBlock: _meta.block.number });
    });
    expect(expired).toBe(1);
    expect(seen.toSorted()).toEqual(idsOf(srrs).toSorted());
  });

  it('reads transfers at its own block, even in a request that also lists records at the newest block', async () => {
    const { srrs } = await gateway.anonymous.data('{ srrs(first: 1) { pageInfo { endCursor } } }');
    await mineCollection();
    const { now, page } = await gateway.anonymous.data(
      `query ($after: String) {
        now: srrs(first: 1) { edges { node { indexedAtBlock } } }
        page: srrs(first: 300, after: $after) {
          edges { node { indexedAtBlock provenance(first: 40) { edges { cursor } } } }
        }
      }`,
      { after: srrs.pageInfo.endCursor },
    );
    const [, began] = JSON.parse(Buffer.from(srrs.pageInfo.endCursor, 'base64url').toString());
    expect(Number(now.edges[0].node.indexedAtBlock)).toBeGreaterThan(began);
    const cursors = page.edges.flatMap(({ node }: Data) =>
      node.provenance.edges.map(({ cursor }: Data) => Buffer.from(cursor as unknown as string, 'base64url')),
    );
    expect(cursors.length).toBeGreaterThan(0);
    expect(new Set(cursors.map((cursor: Buffer) => JSON.parse(cursor.toString())[1]))).toEqual(
      new Set([began]),
    );
  });

  it('whose block was replaced fails alone, and the rest of the request is answered', async () => {
    const { srrs } = await gateway.anonymous.data(
      '{ srrs(first: 1) { pageInfo { endCursor } edges { node { id } } } }',
    );
    const parts = JSON.parse(Buffer.from(srrs.pageInfo.endCursor, 'base64url').toString());
    const [, number, , value, id] = parts;
    const lost = JSON.stringify(['child', number, `0x${'ab'.repeat(32)}`, value, id]);
    const { data, errors } = await gateway.anonymous.ask(
      `query ($record: ID!, $after: String) {
        node(id: $record) { ... on SRR { provenance(after: $after) { edges { cursor } } } }
        collections(first: 1) { edges { node { name } } }
      }`,
      { record: srrs.edges[0].node.id, after: Buffer.from(lost).toString('base64url') },
    );
    expect(errors).toMatchObject([
      {
        path: ['node', 'provenance'],
        extensions: { code: 'CURSOR_EXPIRED', continueAfter: expect.any(String) },
      },
    ]);
    expect(data.collections.edges).toHaveLength(1);
  });
});
