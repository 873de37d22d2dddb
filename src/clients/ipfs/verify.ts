import { equals } from 'multiformats/bytes';
import { CID } from 'multiformats/cid';
import { identity } from 'multiformats/hashes/identity';
import { sha256, sha512 } from 'multiformats/hashes/sha2';
import { IpfsFailure } from './failure.ts';

const hashers = new Map([sha256, sha512].map((hasher) => [hasher.code as number, hasher]));

/** Whether a block can be checked by this CID. */
export const hasKnownHash = ({ multihash }: CID): boolean => hashers.has(multihash.code);

/**
 * Returns the block when it hashes to the CID.
 * @throws IpfsFailure HASH_MISMATCH when it does not, BLOCKED when the hash function is not supported.
 */
export async function verified(cid: CID, block: Uint8Array): Promise<Uint8Array> {
  const hasher = hashers.get(cid.multihash.code);
  if (!hasher)
    throw new IpfsFailure('BLOCKED', { cause: `hash function ${cid.multihash.code} is not supported` });
  const { digest } = await hasher.digest(block);
  if (!equals(digest, cid.multihash.digest)) throw new IpfsFailure('HASH_MISMATCH');
  return block;
}

/** The block that a CID embeds (identity hash); undefined for any other CID. */
export function embeddedBlock(cid: CID): Uint8Array | undefined {
  return cid.multihash.code === identity.code ? cid.multihash.digest : undefined;
}

/**
 * Rebuilds the block of a single-block file. A gateway or CDN that serves only files answers with the file in place
 * of the block, but only the block can be verified.
 */
export function soleBlock(file: Uint8Array): Uint8Array {
  const size = varint(file.length);
  // UnixFS: type file, its data, its size; as the data of a DAG-PB node.
  const unixfs = [Buffer.from([0x08, 0x02, 0x12, ...size]), file, Buffer.from([0x18, ...size])];
  const length = file.length + 4 + 2 * size.length;
  return Buffer.concat([Buffer.from([0x0a, ...varint(length)]), ...unixfs]);
}

const varint = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...varint(n >> 7)]);

const dagPb = 0x70;

/** Whether a CID names the root of a DAG: its block is a node, and the file is assembled from its leaves. */
export const isDagPb = (cid: CID): boolean => cid.code === dagPb;

/** The key under which content is cached: the same for a CIDv0 and its CIDv1, in any base. */
export function contentKey(cid: CID): string {
  return cid.version === 0 ? CID.createV1(cid.code, cid.multihash).toString() : cid.toString();
}
