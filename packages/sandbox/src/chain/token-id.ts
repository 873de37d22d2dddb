import { type Address, concat, type Hex, keccak256, stringToBytes, toBytes } from 'viem';

/** Token ids have at most twelve digits. */
const modulus = 10n ** 12n;

/** Whether this is a metadata digest as used before 2023: 0x and 64 hex digits, and not on IPFS. */
export function isLegacyDigest(metadata: string): metadata is Hex {
  return /^0x[0-9a-fA-F]{64}$/.test(metadata);
}

/**
 * The token id of a record as a decimal string: keccak-256 of its metadata's CID as text (of a legacy digest
 * as bytes) and its artist's address, modulo 10^12. The same metadata and artist give the same id.
 */
export function tokenId(metadata: string, artist: Address): string {
  const name = isLegacyDigest(metadata) ? toBytes(metadata) : stringToBytes(metadata);
  return (BigInt(keccak256(concat([name, toBytes(artist)]))) % modulus).toString();
}
