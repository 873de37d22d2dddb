import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { LRUCache } from 'lru-cache';
import type { LegacyMetadata } from '../clients/commerce/legacy-metadata.ts';
import { HttpFailure } from '../clients/http.ts';
import { readJson } from '../lib/json-document.ts';
import { createSingleFlight } from '../lib/single-flight.ts';
import { UpstreamError } from '../model/errors.ts';
import { type RecordKey, recordKeyText } from '../model/record.ts';
import { objectOrNull } from './metadata-accessors.ts';
import { documentId, type MetadataResult, type MetadataStatus } from './metadata-result.ts';

export type LegacyDocuments = ReturnType<typeof createLegacyDocuments>;

// Room for some ten thousand documents. Records from before 2023 are few, and there are no new ones.
const maxBytes = 32 * 1024 * 1024;
// Failures and unverified documents are cached as briefly as failures of IPFS.
const unsureMs = 5_000;

/** Creates the reader of documents from before 2023, which verifies them where possible and caches them. */
export function createLegacyDocuments(service: LegacyMetadata) {
  const sure = new LRUCache<string, MetadataResult>({ maxSize: maxBytes });
  const unsure = new LRUCache<string, MetadataResult>({ max: 1_000, ttl: unsureMs });
  const shared = createSingleFlight<MetadataResult>();

  const fetched = async (digest: string, record: RecordKey | undefined, signal: AbortSignal) => {
    try {
      const bytes = await (record ? service.ofRecord(record, signal) : service.ofDigest(digest, signal));
      return bytes
        ? { bytes, result: resultOf(digest, bytes, record) }
        : { result: { status: 'NOT_FOUND' as const } };
    } catch (error) {
      signal.throwIfAborted();
      return { result: { status: reasonOf(error) } };
    }
  };

  return {
    urlOf: service.urlOf,
    /** Finds the document by `record`, else by its digest. Throws only the signal's reason. */
    async read(name: string, record: RecordKey | undefined, signal: AbortSignal): Promise<MetadataResult> {
      const digest = name.toLowerCase();
      // The service may return different documents for records with the same digest, so only verified ones
      // are shared between records.
      const key = `${digest} ${record ? recordKeyText(record) : ''}`;
      const known = sure.get(digest) ?? unsure.get(key);
      if (known) return known;
      const work = async (live: AbortSignal) => {
        const { bytes, result } = await fetched(digest, record, live);
        if (result.status === 'VERIFIED') sure.set(digest, result, { size: (bytes?.length ?? 0) * 4 + 200 });
        else unsure.set(key, result);
        return result;
      };
      return shared.join(key, work, signal);
    },
  };
}

/**
 * No public document says what the digest is a hash of. If it is the keccak-256 of the bytes, the usual hash
 * of contracts, the document is VERIFIED. Otherwise it is UNVERIFIED, which does not mean wrong.
 */
function resultOf(digest: string, bytes: Uint8Array, record: RecordKey | undefined): MetadataResult {
  try {
    const document = objectOrNull(readJson(bytes));
    if (!document) return { status: 'INVALID_JSON' };
    const isVerified = `0x${bytesToHex(keccak_256(bytes))}` === digest;
    if (isVerified) return { status: 'VERIFIED', document, id: digest };
    return { status: 'UNVERIFIED', document, id: documentId(digest, record) };
  } catch {
    return { status: 'INVALID_JSON' };
  }
}

function reasonOf(error: unknown): MetadataStatus {
  if (!(error instanceof UpstreamError)) throw error;
  if (error.code === 'UPSTREAM_TIMEOUT') return 'TIMEOUT';
  if (error.cause instanceof HttpFailure && error.cause.kind === 'TOO_LARGE') return 'TOO_LARGE';
  // Gone, or access is refused.
  return [401, 403, 410, 451].includes(error.status ?? 0) ? 'BLOCKED' : 'UNAVAILABLE';
}
