import { type Ipfs, IpfsFailure } from '../ipfs/ipfs.ts';
import { documentView } from './document-view.ts';

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

/** Records from before 2023 hold a hash in the place of a CID; IPFS cannot serve it. */
export const isLegacyDigest = (digest: string) => /^0x[0-9a-f]{64}$/i.test(digest);

/** Reads and verifies the document of a CID. Never throws for what a gateway does or does not do. */
export async function readMetadata(ipfs: Ipfs, digest: string, signal: AbortSignal): Promise<MetadataResult> {
  if (digest === '') return { status: 'PENDING' };
  try {
    const document = documentView(await ipfs.json(digest, signal));
    return document ? { status: 'VERIFIED', document } : { status: 'INVALID_JSON' };
  } catch (error) {
    if (error instanceof IpfsFailure) return { status: error.reason };
    throw error;
  }
}
