import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { LRUCache } from 'lru-cache';

/** A wallet or contract address: 0x and 40 hex digits, with the EIP-55 checksum in its letter case. */
export type Address = `0x${string}`;

/**
 * Parses an address and returns its checksummed form; undefined for other text. Mixed case is an EIP-55
 * checksum; a wrong one is a typing error, and gives undefined too.
 */
export function parseAddress(text: string): Address | undefined {
  const known = checksums.get(text);
  if (known) return known;
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return undefined;
  const digits = text.slice(2);
  const checksummed = checksums.memo(text.toLowerCase());
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return oneCase || text === checksummed ? checksummed : undefined;
}

/** The same for an address that no person has typed: its letter case means nothing. */
export const parseAddressInAnyCase = (text: string): Address | undefined => parseAddress(text.toLowerCase());

/**
 * Checksummed addresses by their lower case. A page repeats the same addresses, and hashing them each time
 * would take a third of its time. About 2 MB.
 */
const checksums = new LRUCache<string, Address>({ max: 10_000, memoMethod: checksum });

function checksum(lower: string): Address {
  const digits = lower.slice(2);
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)));
  const cased = [...digits].map((digit, i) =>
    Number.parseInt(hash[i] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${cased.join('')}`;
}
