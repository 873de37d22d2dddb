import { keccak256, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { metadataHistoryId, provenanceId, srrId } from './ids.ts';

describe('the id of a record', () => {
  const collection = '0x5979b6061f1cac61f70a06cd968a6f67fe0b8284';

  // Public records of the live subgraph.
  it.each([
    [20398948250n, '0x7722fed27cd514bc7a1899d245da7d84975bccfb021a43273cabe7e19dfc0835'],
    [820869899430n, '0xcd645bb3aec38991b92dc8221126bdb7e87b6bbc4d06b97f7f91fd37c71bbf2f'],
  ])('follows from its contract and the token id %s', (token, expected) => {
    expect(srrId(collection, token)).toBe(expected);
  });

  it('does not depend on the letter case of the address', () => {
    expect(srrId('0x5979B6061f1cAc61f70a06cd968a6f67fe0b8284', 5n)).toBe(srrId(collection, 5n));
  });
});

describe("ids of a record's rows", () => {
  it('are hashes of texts', () => {
    expect(provenanceId('0xab', '1700000000000')).toBe(keccak256(toHex('0xab1700000000000')));
    expect(metadataHistoryId('0xcd', 17, 'bafy')).toBe(keccak256(toHex('0xcd0x11bafy')));
  });
});
