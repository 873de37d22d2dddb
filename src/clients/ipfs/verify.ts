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

const dagPb = 0x70;

/** Whether a CID names the root of a DAG: its block is a node, and the file is assembled from its leaves. */
export const isDagPb = (cid: CID): boolean => cid.code === dagPb;

/** The key under which content is cached: the same for a CIDv0 and its CIDv1. */
export function contentKey(cid: CID): string {
  return cid.version === 0 ? CID.createV1(cid.code, cid.multihash).toString() : cid.toString();
}
