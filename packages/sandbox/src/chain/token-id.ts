import { type Address, concat, type Hex, keccak256, stringToBytes, toBytes } from 'viem';

/** Token ids have at most twelve digits. */
const modulus = 10n ** 12n;

/** True for the form in which metadata was named before 2023: 0x and 64 hex digits, not on IPFS. */
export function isLegacyDigest(metadata: string): metadata is Hex {
  return /^0x[0-9a-fA-F]{64}$/.test(metadata);
}

/**
 * The token id of a record: keccak-256 of the text of its metadata's CID (of the bytes of a legacy digest)
 * and its artist's address, modulo 10^12, as a decimal string. Equal metadata and artist give equal ids.
 */
export function tokenId(metadata: string, artist: Address): string {
  const name = isLegacyDigest(metadata) ? toBytes(metadata) : stringToBytes(metadata);
  return (BigInt(keccak256(concat([name, toBytes(artist)]))) % modulus).toString();
}
