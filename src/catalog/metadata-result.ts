import { IpfsFailure, type IpfsReader, type JsonContent, parseIpfsReference } from '../clients/ipfs/ipfs.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { type RecordKey, recordKeyIn, recordKeyText } from '../model/record.ts';
import { objectOrNull } from './metadata-accessors.ts';

/** Whether a document is available, and if not, why (`MetadataStatus` in the schema). */
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
  /** Id of the document; see `documentId`. */
  id?: string;
  /** Length of its text. Absent for documents from before 2023, which the service has written. */
  bytes?: number;
}

/**
 * Id of a document: its CID or hash. The id of an unverified document also has its record, because the
 * service may return another document for another record with the same hash.
 */
export const documentId = (digest: string, record?: RecordKey): string =>
  record ? `${digest}/${recordKeyText(record)}` : digest;

/** The digest and the record in a document's id; undefined for other text. */
export function parseDocumentId(id: string): { digest: string; key?: RecordKey } | undefined {
  const [digest = '', ...record] = id.split('/');
  if (!isLegacyDigest(digest) && !parseIpfsReference(digest)) return undefined;
  if (record.length === 0) return { digest };
  const key = recordKeyIn(record.join('/'));
  return key && { digest, key };
}

/** Whether a digest is the hash of a record from before 2023. It is not a CID, so IPFS cannot serve it. */
export const isLegacyDigest = (digest: string) => /^0x[0-9a-f]{64}$/i.test(digest);

/** Reads and verifies the document of a CID. Failures of IPFS gateways are in `status`, and do not throw. */
export function readMetadata(
  ipfs: IpfsReader,
  digest: string,
  signal: AbortSignal,
): MaybePromise<MetadataResult> {
  if (digest === '') return { status: 'PENDING' };
  const known = ipfs.jsonInMemory(digest);
  if (known) return resultOf(known, digest);
  const shown = (content: JsonContent) => resultOf(content, digest);
  return ipfs.json(digest, signal).then(shown, (error: unknown) => {
    if (error instanceof IpfsFailure) return { status: error.kind };
    throw error;
  });
}

function resultOf({ document: json, bytes }: JsonContent, id: string): MetadataResult {
  const document = objectOrNull(json);
  return document ? { status: 'VERIFIED', document, id, bytes } : { status: 'INVALID_JSON' };
}
