import { parseAddress } from '@srr-gateway/common/address';
import { expect, it } from 'vitest';
import { type CatalogDeps, CatalogRequest } from './catalog-request.ts';

const address = (n: number) =>
  parseAddress(`0x${`${n}a`.repeat(20)}`) as NonNullable<ReturnType<typeof parseAddress>>;
const registryAddress = address(1);
const key = { collection: null, tokenId: '1' };

/** A request to a subgraph whose record has these owners in turn, the last of them from then on; none: no record. */
function requestOf(...owners: string[]) {
  let reads = 0;
  const subgraph = {
    srrsByTokens: async () => {
      const ownerAddress = owners[Math.min(reads++, owners.length - 1)];
      return { block: { number: 7 }, srrs: [ownerAddress && { ownerAddress: ownerAddress.toLowerCase() }] };
    },
    // The subgraph has addresses in lower case.
    byIds: async (_name: string, ids: string[]) => ({
      rows: new Map(ids.map((id) => [id.toLowerCase(), { id }])),
    }),
  };
  const deps = { subgraph, registryAddress, indexWaitMs: 600 } as unknown as CatalogDeps;
  return { request: new CatalogRequest(deps, new AbortController().signal), reads: () => reads };
}

it('a record is waited for until it is indexed, and no longer than configured', async () => {
  const { request, reads } = requestOf();
  expect(await request.indexedRecordOfMinted(key, new Date())).toEqual({ indexing: 'NOT_YET_INDEXED' });
  expect(reads()).toBeGreaterThan(1);
});

it('a transferred record is waited for until it has another owner', async () => {
  const [from, to] = [address(2), address(3)];
  const { request, reads } = requestOf(from, to);
  expect(await request.indexedRecordOfTransferred(key, from, new Date())).toMatchObject({
    row: { ownerAddress: to.toLowerCase() },
  });
  expect(reads()).toBe(2);
});

it('a collection is found by its address in any letter case', async () => {
  const { request } = requestOf();
  expect(await request.collectionOfDeployed(address(5), new Date())).toEqual({ id: address(5) });
});

it('a record of the registry has no collection, whether its contract is named or not', () => {
  const { request } = requestOf();
  for (const contract of [registryAddress, null, undefined])
    expect(request.keyOf(contract, '1')).toEqual(key);
  expect(request.keyOf(address(4), '1')).toEqual({ collection: address(4), tokenId: '1' });
});
