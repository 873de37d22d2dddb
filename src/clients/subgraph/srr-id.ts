import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { LRUCache } from 'lru-cache';

// Hashing takes a twentieth of the time of a read of one record.
const known = new LRUCache<string, string>({ max: 10_000 });

/**
 * The id of a record in the subgraph: keccak-256 of its contract's 20 bytes and its token id in little-endian
 * bytes. `contract` is the collection, or the registry for a record without one, in any letter case.
 */
export function srrId(contract: string, tokenId: string): string {
  const key = `${contract} ${tokenId}`;
  const before = known.get(key);
  if (before) return before;
  const address = hexToBytes(contract.slice(2).toLowerCase());
  const id = `0x${bytesToHex(keccak_256(concatBytes(address, littleEndian(BigInt(tokenId)))))}`;
  known.set(key, id);
  return id;
}

/** The shortest signed form: a last byte of 128 or more would read as negative, so a zero byte follows. */
function littleEndian(value: bigint): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest > 0n; rest >>= 8n) bytes.push(Number(rest & 0xffn));
  if (bytes.length === 0 || (bytes.at(-1) as number) >= 0x80) bytes.push(0);
  return Uint8Array.from(bytes);
}
