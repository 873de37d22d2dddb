import { describe, expect, it } from 'vitest';
import { isLegacyDigest, tokenId } from './token-id.ts';

describe('the token id of a record', () => {
  // Public records of the live registry: CID, artist, token id.
  it.each([
    [
      'bagaaieraqadwqzwbwlz2ewxdb6nvy4thckhy2vu6jsbhxll52sihrlgneo7q',
      '0x35902f4f4c94dcba48a71202b795e3ad2f75c56f',
      '166670976800',
    ],
    [
      'QmPMc4tcBsMqLRuCQtPmPe84bpSjrC3Ky7t3JWuHXYB4aS',
      '0xeba6851db73174c0bb847c0172721836b3ba267c',
      '20398948250',
    ],
    [
      'bafkreibue6ax5qbviaq6rdcac3s3tjt7ihcgforfyf4wnl25tilcyoftsr',
      '0x864d38b2989553080dbe893f7366b2dc675cac1f',
      '436104791396',
    ],
  ] as const)('follows from the CID %s and the artist', (cid, artist, expected) => {
    expect(tokenId(cid, artist)).toBe(expected);
  });

  it('distinguishes a digest of the old form from a CID', () => {
    expect(isLegacyDigest(`0x${'ab'.repeat(32)}`)).toBe(true);
    expect(isLegacyDigest('QmPMc4tcBsMqLRuCQtPmPe84bpSjrC3Ky7t3JWuHXYB4aS')).toBe(false);
  });
});
