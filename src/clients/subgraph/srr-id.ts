import { keccak_256 } from '@noble/hashes/sha3.js';

// Reused: their memory is outside of V8's heap, and allocating it for each id took longer than the hash.
const empty = keccak_256.create();
const hasher = empty.clone();
const addressBytes = 20;
/** The address, the longest token id (a uint256), and a byte for its sign. */
const input = Buffer.alloc(addressBytes + 33);
const output = Buffer.alloc(32);

/**
 * The id of a record in the subgraph: keccak-256 of its contract's 20 bytes and its token id in little-endian
 * bytes. `contract` is the collection, or the registry for a record without one, in any letter case.
 */
export function srrId(contract: string, tokenId: string): string {
  input.write(contract.slice(2), 'hex');
  const length = addressBytes + writeLittleEndian(BigInt(tokenId).toString(16));
  empty._cloneInto(hasher);
  hasher.update(input.subarray(0, length)).digestInto(output);
  return `0x${output.toString('hex')}`;
}

/** The shortest signed form: a last byte of 128 or more would read as negative, so a zero byte follows. */
function writeLittleEndian(digits: string): number {
  const length = Math.ceil(digits.length / 2);
  input.write(digits.padStart(2 * length, '0'), addressBytes, 'hex');
  input.subarray(addressBytes, addressBytes + length).reverse();
  if ((input[addressBytes + length - 1] as number) < 0x80) return length;
  input[addressBytes + length] = 0;
  return length + 1;
}
