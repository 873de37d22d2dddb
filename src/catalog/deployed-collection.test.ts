import { expect, it } from 'vitest';
import { issuerNumber } from '../../test/_util/event-store.ts';
import type { Subgraph } from '../clients/subgraph/subgraph.ts';
import { deployedCollection } from './deployed-collection.ts';

const issuer = issuerNumber(0xab);
const other = issuerNumber(0xcd);
const [first, second] = [issuerNumber(1), issuerNumber(2)];
const since = new Date(1_700_000_000_000);
const { signal } = new AbortController();

interface Row {
  id: string;
  creatorAddress?: string | null;
  ownerAddress: string;
  createdAt: string;
}
const row = (id: string, more: Partial<Row> = {}): Row => ({
  id,
  creatorAddress: issuer.toLowerCase(),
  ownerAddress: issuer.toLowerCase(),
  createdAt: '1700000000000',
  ...more,
});

/** A subgraph that has these collections, and what it was asked for. */
function subgraphOf(rows: Row[], timestamp?: number) {
  const asked: unknown[] = [];
  const lists = async (...query: unknown[]) => {
    asked.push(query);
    return { lists: [rows], block: { number: 7, timestamp } };
  };
  return { subgraph: { lists } as unknown as Subgraph, asked };
}

const find = async (rows: Row[]) =>
  (
    await deployedCollection(
      subgraphOf(rows).subgraph,
      { issuer, salt: '0x01', address: null, since },
      signal,
    )
  ).address;

it.each([
  ['deployed since the request', row(first), first],
  ['deployed before', row(first, { createdAt: '1699999999999' }), undefined],
  ['of another issuer', row(first, { creatorAddress: other.toLowerCase() }), undefined],
  ['that the issuer has given away', row(first, { ownerAddress: other.toLowerCase() }), first],
  ['of an older subgraph, which knows the owner only', row(first, { creatorAddress: null }), first],
])('a collection %s is recognised', async (_, found, address) => {
  expect(await find([found])).toBe(address);
  expect(await find([row(second, { createdAt: '1' }), found])).toBe(address);
});

it.each([
  ['salt', { salt: '0x01', address: first }, { salt: '0x01' }],
  ['address in lower case', { salt: null, address: issuer }, { id: issuer.toLowerCase() }],
])('a collection is searched for by its %s, at the newest block', async (_, key, where) => {
  const { subgraph, asked } = subgraphOf([], 1_700_000_000);
  const found = await deployedCollection(subgraph, { issuer, since, ...key }, signal);
  expect(found).toEqual({ address: undefined, indexedUntil: new Date(1_700_000_000_000) });
  expect(asked).toEqual([['collections', [{ where, first: 20 }], { newest: true, signal }]]);
});

it('how far a subgraph without block times is indexed is unknown', async () => {
  const { subgraph } = subgraphOf([]);
  const search = { issuer, salt: '0x01', address: null, since };
  expect((await deployedCollection(subgraph, search, signal)).indexedUntil).toBeUndefined();
});
