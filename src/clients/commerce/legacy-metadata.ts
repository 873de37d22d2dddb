import type { Logger } from '@srr-gateway/common/log';
import type { RecordKey } from '../../model/record.ts';
import { fromHttpFailure, fromStatus } from '../failure.ts';
import { createHttpClient } from '../http.ts';
import { createResilience } from '../resilience.ts';

/** Settings of the client for old metadata. */
export interface LegacyMetadataOptions {
  /** `{base_url}`, without a slash at the end. */
  baseUrl: string;
  /** `{vendor}` of the service's paths. */
  vendorPath: string;
  timeoutMs: number;
  log: Logger;
}

// A page of old records reads a document for each. More connections would slow down issuing at the service.
const connections = 16;
// Same limit as for a metadata document on IPFS: one block.
const maxBytes = 2 * 1024 * 1024;

/**
 * Creates the client for metadata of records from before 2023, which the issuance service serves without credentials
 * and IPFS does not have. Returns unverified bytes; undefined when the service has no document. Throws
 * `UpstreamError`, or the signal's reason. It has its own pool and breaker, so that failures of old documents cannot
 * stop new issuances.
 */
export function createLegacyMetadata(options: LegacyMetadataOptions) {
  const { baseUrl, vendorPath, timeoutMs, log } = options;
  const http = createHttpClient({ connections });
  const { run } = createResilience({ upstream: 'COMMERCE', log, host: new URL(baseUrl).host, retries: 1 });

  const get = async (url: string, signal?: AbortSignal): Promise<Uint8Array | undefined> => {
    const headers = { accept: 'application/json' };
    const answer = await http
      .send({ method: 'GET', url, headers, timeoutMs, maxBytes, signal })
      .catch((error: unknown) => {
        throw fromHttpFailure('COMMERCE', error);
      });
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw fromStatus('COMMERCE', answer);
    return answer.body;
  };
  /** The address at which a browser can load the document of a record. */
  const urlOf = ({ collection, tokenId }: RecordKey) =>
    `${baseUrl}/${vendorPath}/api/v1/srr/metadata/${collection === null ? '' : `${collection}/`}${tokenId}.json`;

  return {
    urlOf,
    /** The present document of a record. */
    ofRecord: (record: RecordKey, signal?: AbortSignal) => run((live) => get(urlOf(record), live), signal),
    /** The document with a digest, as token URIs of that time name it. */
    ofDigest: (digest: string, signal?: AbortSignal) =>
      run((live) => get(`${baseUrl}/api/v1/metadata/${digest}.json`, live), signal),
    close: () => http.close(),
  };
}

export type LegacyMetadata = ReturnType<typeof createLegacyMetadata>;
