import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { expect, it } from 'vitest';
import { srrId } from './srr-id.ts';

const collection = '0x5979b6061f1cac61f70a06cd968a6f67fe0b8284';

it.each([
  ['plain', '20398948250', '0x7722fed27cd514bc7a1899d245da7d84975bccfb021a43273cabe7e19dfc0835'],
  ['top bit set', '820869899430', '0xcd645bb3aec38991b92dc8221126bdb7e87b6bbc4d06b97f7f91fd37c71bbf2f'],
])('the id of a record is the one that the public subgraph has (%s)', (_kind, tokenId, id) => {
  expect(srrId(collection, tokenId)).toBe(id);
  expect(srrId(`0x${collection.slice(2).toUpperCase()}`, tokenId)).toBe(id);
});

it('token id 0 has an id of its own', () => {
  expect(srrId(collection, '0')).toMatch(/^0x[0-9a-f]{64}$/);
  expect(srrId(collection, '0')).not.toBe(srrId(collection, '1'));
});

it.each([
  ['the longest token id', '9'.repeat(78)],
  ['the largest uint256', String(2n ** 256n - 1n)],
  ['a short one after it', '128'],
])('the id is the hash of the bytes that the public subgraph hashes: %s', (_, tokenId) => {
  const digits = BigInt(tokenId).toString(16);
  const bytes = hexToBytes(digits.padStart(2 * Math.ceil(digits.length / 2), '0')).reverse();
  const signed = (bytes.at(-1) as number) < 0x80 ? bytes : concatBytes(bytes, Uint8Array.of(0));
  const hash = bytesToHex(keccak_256(concatBytes(hexToBytes(collection.slice(2)), signed)));
  expect(srrId(collection, tokenId)).toBe(`0x${hash}`);
});
