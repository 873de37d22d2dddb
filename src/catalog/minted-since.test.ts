import { expect, it } from 'vitest';
import { issuerNumber } from '../../test/_util/event-store.ts';
import { mintedSince } from './minted-since.ts';

type Request = Parameters<typeof mintedSince>[0];

/** A request to a subgraph with `count` pages of records. */
const pages = (count: number): Request => {
  let page = 0;
  return {
    block: undefined,
    documents: {},
    srrs: async () => ({
      edges: [{ node: { tokenId: `${++page}`, artistAddress: null, metadataDigest: null } }],
      pageInfo: { hasNextPage: page < count, endCursor: `${page}` },
    }),
  } as unknown as Request;
};

it.each([
  [10, 10, true],
  [11, 10, false],
])('the search over %i pages of records reads %i, and is complete: %s', async (count, read, complete) => {
  const found = await mintedSince(pages(count), issuerNumber(1), new Date(0));
  expect(found.minted).toHaveLength(read);
  expect(found.complete).toBe(complete);
});
