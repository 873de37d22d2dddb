import { type Ipfs, IpfsFailure } from '../clients/ipfs/ipfs.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { objectOrNull } from './metadata-accessors.ts';

export type MetadataStatus =
  | 'VERIFIED'
  | 'UNVERIFIED'
  | 'PENDING'
  | 'TIMEOUT'
  | 'NOT_FOUND'
  | 'INVALID_JSON'
  | 'TOO_LARGE'
  | 'BLOCKED'
  | 'HASH_MISMATCH'
  | 'UNAVAILABLE';

/** A metadata document, or why there is none. */
export interface MetadataResult {
  status: MetadataStatus;
  document?: Record<string, unknown>;
}

/** Records from before 2023 have a hash instead of a CID; IPFS cannot serve it. */
export const isLegacyDigest = (digest: string) => /^0x[0-9a-f]{64}$/i.test(digest);

/** Reads and verifies the document of a CID. A gateway's failure does not throw; it is in `status`. */
export function readMetadata(ipfs: Ipfs, digest: string, signal: AbortSignal): MaybePromise<MetadataResult> {
  if (digest === '') return { status: 'PENDING' };
  const known = ipfs.jsonInMemory(digest);
  if (known) return resultOf(known.document);
  return ipfs.json(digest, signal).then(resultOf, (error: unknown) => {
    if (error instanceof IpfsFailure) return { status: error.reason };
    throw error;
  });
}

function resultOf(json: unknown): MetadataResult {
  const document = objectOrNull(json);
  return document ? { status: 'VERIFIED', document } : { status: 'INVALID_JSON' };
}
