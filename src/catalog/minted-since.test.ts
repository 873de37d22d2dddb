import { expect, it } from 'vitest';
import { issuerNumber } from '../../test/_util/event-store.ts';
import { mintedSince } from './minted-since.ts';

type Request = Parameters<typeof mintedSince>[0];

/** A request to a subgraph with `count` pages of records, and the pages that were asked for. */
function pages(count: number) {
  const asked: unknown[] = [];
  const request = {
    block: { number: 7, timestamp: 1_700_000_000 },
    documents: { read: async (cid: string) => ({ document: { cid } }) },
    srrs: async (...page: unknown[]) => {
      const tokenId = `${asked.push(page)}`;
      const metadataDigest = tokenId === '1' ? null : `cid${tokenId}`;
      return {
        edges: [{ node: { tokenId, artistAddress: null, metadataDigest } }],
        pageInfo: { hasNextPage: asked.length < count, endCursor: tokenId },
      };
    },
  } as unknown as Request;
  return { asked, request };
}

it.each([
  [10, 10, true],
  [11, 10, false],
])('the search over %i pages of records reads %i, and is complete: %s', async (count, read, complete) => {
  const found = await mintedSince(pages(count).request, issuerNumber(1), new Date(0));
  expect(found.minted).toHaveLength(read);
  expect(found.complete).toBe(complete);
});

it('the search reads the records since a time page by page, newest first, with their documents', async () => {
  const { asked, request } = pages(2);
  const since = new Date(5);
  const found = await mintedSince(request, issuerNumber(1), since);
  const newestFirst = expect.objectContaining({ field: 'createdAt', direction: 'desc' });
  const filter = { issuer: issuerNumber(1), createdAfter: since };
  expect(asked).toEqual([
    [{ first: 500, after: undefined }, newestFirst, filter],
    [{ first: 500, after: '1' }, newestFirst, filter],
  ]);
  expect(found.minted).toMatchObject([
    { tokenId: '1', metadataCID: null, document: undefined },
    { tokenId: '2', metadataCID: 'cid2', document: { cid: 'cid2' } },
  ]);
  expect(found.indexedUntil).toEqual(new Date(1_700_000_000_000));
});

it('how far a subgraph without block times is indexed is unknown', async () => {
  const request = { ...pages(1).request, block: { number: 7, hash: `0x${'7'.repeat(64)}` } };
  expect((await mintedSince(request, issuerNumber(1), new Date(0))).indexedUntil).toBeUndefined();
});
