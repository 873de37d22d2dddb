import { hash } from 'node:crypto';
import { canonicalJson } from '@srr-gateway/common/canonical-json';
import type { Logger } from '@srr-gateway/common/log';
import { LRUCache } from 'lru-cache';
import { fromHttpFailure, fromStatus } from '../../clients/failure.ts';
import { createHttpClient } from '../../clients/http.ts';
import type { IpfsReader } from '../../clients/ipfs/ipfs.ts';
import { parseIpfsReference } from '../../clients/ipfs/reference.ts';
import { createResilience } from '../../clients/resilience.ts';
import { readJson } from '../../lib/json-document.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { createSingleFlight } from '../../lib/single-flight.ts';

/** A metadata schema as the service or IPFS delivered it. */
export interface FetchedSchema {
  /** Canonical JSON: equal schemas have equal texts. */
  text: string;
  /** Every `sha256-<hex>` that a document may give as its `$schemaIntegrity`. */
  digests: readonly string[];
}

export type SchemaSource = ReturnType<typeof createSchemaSource>;

/** Options of a schema source. */
export interface SchemaSourceOptions {
  /** `{base_url}` of the service: its schemas are fetched from this host alone. */
  baseUrl: string;
  ipfs: Pick<IpfsReader, 'cat'>;
  log: Logger;
  /** Milliseconds for one fetch, for tests. Default: `longestTryMs`. */
  tryMs?: number;
}

/** Short, because issuing waits for the fetch and can fall back to the shipped schemas. */
const longestTryMs = 1_500;
/** The known schemas have 5 KB. A larger one could hold up the thread that compiles it. */
const maxBytes = 256 * 1024;
/** A released version does not change; a corrected schema is noticed the same day. */
const maxAgeMs = 6 * 3_600_000;
/** Pause after a failed fetch, so that not every call waits for one. */
const failureMs = 30_000;
/** Callers may name any CID, so the cache is bounded: a few MB. */
const limits = { max: 100, maxSize: 4 * 1024 * 1024 };
/** The service has about as many schema versions. */
const connections = 4;

interface CachedSchema extends FetchedSchema {
  at: number;
}

/**
 * Creates the source that fetches and caches the schemas of metadata documents, only from the service's own host or
 * by CID.
 */
export function createSchemaSource(options: SchemaSourceOptions) {
  const { baseUrl, ipfs, log, tryMs = longestTryMs } = options;
  const base = new URL(baseUrl);
  const http = createHttpClient({ connections });
  const { once } = createResilience({ upstream: 'COMMERCE', log, host: base.host, retries: 0 });
  const cache = new LRUCache<string, CachedSchema>({
    ...limits,
    sizeCalculation: ({ text }) => text.length + 1_000,
  });
  const failed = new LRUCache<string, true>({ max: 1_000, ttl: failureMs });
  const shared = createSingleFlight<CachedSchema>();

  const get = async (url: string, signal: AbortSignal): Promise<Uint8Array> => {
    // Any status but 200 is a failure, redirects included.
    const answer = await once(async (live) => {
      const headers = { accept: 'application/schema+json, application/json' };
      const got = await http
        .send({ method: 'GET', url, headers, timeoutMs: tryMs, maxBytes, signal: live })
        .catch((error: unknown) => {
          throw fromHttpFailure('COMMERCE', error);
        });
      if (got.status >= 500) throw fromStatus('COMMERCE', got);
      return got;
    }, signal);
    if (answer.status !== 200) throw new Error(`the schema's address answered ${answer.status}`);
    return answer.body;
  };

  const load = async (location: SchemaLocation, signal: AbortSignal): Promise<CachedSchema> => {
    const live = AbortSignal.any([signal, AbortSignal.timeout(tryMs)]);
    const bytes =
      'cid' in location
        ? await ipfs.cat(location.cid, { maxBytes, signal: live })
        : await get(location.url, live);
    return { ...understood(bytes), at: performance.now() };
  };

  return {
    /**
     * The schema that a `$schema` names. Undefined when its address is not allowed, or the schema cannot be
     * fetched now. Never takes longer than `tryMs`.
     * @throws When `signal` aborts; nothing else.
     */
    async read(schema: string, signal?: AbortSignal): Promise<FetchedSchema | undefined> {
      const location = locationOf(schema, base);
      if (!location) return undefined;
      const key = 'cid' in location ? location.cid : location.url;
      const cached = cache.get(key);
      if (cached && ('cid' in location || performance.now() - cached.at < maxAgeMs)) return cached;
      // A stale copy is better than none.
      if (failed.has(key)) return cached;
      try {
        const loaded = await shared.join(key, (live) => load(location, live), signal);
        cache.set(key, loaded);
        return loaded;
      } catch (error) {
        signal?.throwIfAborted();
        failed.set(key, true);
        log.info(
          { err: error, schema: key },
          'a metadata schema could not be fetched; the shipped one is used',
        );
        return cached;
      }
    },
    close: () => http.close(),
  };
}

type SchemaLocation = { cid: string } | { url: string };

/** Where a schema is fetched from; undefined for an address that is not allowed. */
function locationOf(schema: string, base: URL): SchemaLocation | undefined {
  const content = parseIpfsReference(schema);
  if (content) return content.path === '' ? { cid: content.cid } : undefined;
  const url = URL.parse(schema);
  if (!url || url.host !== base.host || url.search !== '' || url.hash !== '') return undefined;
  if (!/\/api\/v1\/schema\/registry-record-metadata\.v\d{1,4}\.\d{1,4}\.schema\.json$/.test(url.pathname))
    return undefined;
  // Use the configured scheme, so that a document cannot downgrade the request to plain HTTP.
  return { url: `${base.origin}${url.pathname}` };
}

function understood(bytes: Uint8Array): FetchedSchema {
  const content = readJson(bytes);
  if (!isJsonObject(content)) throw new SyntaxError('the schema is not a JSON object');
  const text = canonicalJson(content);
  // The service's document requires the digest of the "normalised" schema without defining that, so accept the digest
  // of any of these forms.
  const forms = [bytes, text, JSON.stringify(content)];
  return { text, digests: forms.map((form) => `sha256-${hash('sha256', form)}`) };
}
