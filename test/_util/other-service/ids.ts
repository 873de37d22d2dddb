import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

const bytesOf = (hex: string) => hexToBytes(hex.slice(2).toLowerCase());
const keccak = (...parts: Uint8Array[]) => bytesToHex(keccak_256(concatBytes(...parts)));

/** keccak-256 of the metadata CID's text and the artist's 20 bytes, modulo 10^12. */
export function tokenIdOf(metadataCID: string, artist: string): string {
  return String(BigInt(`0x${keccak(utf8ToBytes(metadataCID), bytesOf(artist))}`) % 10n ** 12n);
}

/** keccak-256 of the contract's 20 bytes and the token id in its shortest signed little-endian form. */
export function srrIdOf(contract: string, tokenId: string): string {
  let hex = BigInt(tokenId).toString(16);
  if (hex.length % 2) hex = `0${hex}`;
  // The sign bit must be 0.
  if (Number.parseInt(hex.slice(0, 2), 16) > 127) hex = `00${hex}`;
  return `0x${keccak(bytesOf(contract), hexToBytes(hex).reverse())}`;
}

/** The CREATE2 address of a factory and a salt, independent of the owner. */
export function collectionAddressOf(factory: string, salt: string): string {
  const code = keccak_256(utf8ToBytes('a minimal clone'));
  return `0x${keccak(Uint8Array.of(0xff), bytesOf(factory), bytesOf(salt), code).slice(-40)}`;
}

export const hashOfText = (text: string): string => `0x${keccak(utf8ToBytes(text))}`;

/** The address in the letter case of EIP-55. */
export function checksummed(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = keccak(utf8ToBytes(digits));
  return `0x${[...digits].map((digit, i) => ((hash[i] ?? '0') > '7' ? digit.toUpperCase() : digit)).join('')}`;
}

export const isAddress = (text: unknown): text is string =>
  typeof text === 'string' && /^0x[0-9a-fA-F]{40}$/.test(text);

export const zeroAddress = `0x${'0'.repeat(40)}`;
