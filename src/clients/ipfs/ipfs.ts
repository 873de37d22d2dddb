import type { Logger } from '@srr-gateway/common/log';
import { LRUCache } from 'lru-cache';
import type { CID } from 'multiformats/cid';
import type { Dispatcher } from 'undici';
import { readJson } from '../../lib/json-document.ts';
import { createSingleFlight } from '../../lib/single-flight.ts';
import { publish } from '../../observability/telemetry.ts';
import type { Health } from '../health.ts';
import { createHttpClient } from '../http.ts';
import { createSsrfSafeHttpClient } from '../ssrf-safe-http.ts';
import { check } from './check.ts';
import { readFile } from './dag.ts';
import { createDiskCache } from './disk-cache.ts';
import { IpfsFailure } from './failure.ts';
import { createGateway } from './gateway.ts';
import { hedged } from './hedge.ts';
import { type IpfsReference, parseCid, parseIpfsReference } from './reference.ts';
import { contentKey } from './verify.ts';

export { type ContentFailure, IpfsFailure } from './failure.ts';
export { type IpfsReference, parseIpfsReference } from './reference.ts';

/**
 * Reads content by CID. Bytes are verified against the CID before anybody sees or caches them. Throws
 * `IpfsFailure`, whose `reason` is a `MetadataStatus` of the schema, or the signal's reason.
 */
export interface Ipfs {
  /** The bytes of a block or file. They are shared with other readers: do not change them. */
  cat(cid: string, options?: { maxBytes?: number; signal?: AbortSignal | undefined }): Promise<Uint8Array>;
  /** A JSON document. It is shared with other readers: do not change it. */
  json(cid: string, signal?: AbortSignal): Promise<unknown>;
  /** A JSON document from memory, without waiting; undefined when it is not cached or no JSON. */
  jsonInMemory(cid: string): { document: unknown } | undefined;
  /** The address at which a browser can load it, at the preferred gateway. */
  url(cid: string, path?: string): string;
  /** Reads any way of naming content by CID (see `parseIpfsReference`); undefined for other text. */
  reference(text: string): (IpfsReference & { url: string }) | undefined;
  check(signal?: AbortSignal): Promise<Health>;
  close(): Promise<void>;
}

/** Settings of the IPFS client. */
export interface IpfsOptions {
  /** Addresses before `/ipfs/<cid>`. Tried in order; the first is the preferred one. */
  gateways: readonly string[];
  log: Logger;
  /** Time-out for one piece of content, over all gateways together, in milliseconds. */
  timeoutMs?: number;
  /** How long a gateway may be silent before the next one is asked too, in milliseconds. */
  hedgeMs?: number;
  /** Size of the memory cache, in bytes; the cache of parsed documents takes as much again. */
  memoryBytes?: number;
  /** A second, larger cache on disk, which outlives the process. Absent: memory only. */
  disk?: { directory: string; maxBytes: number } | undefined;
  /** Not closed by this client. Absent: it makes a pool of its own. */
  dispatcher?: Dispatcher;
}

// A page of records asks for this many documents at once.
const connections = 64;
// Enough for pictures and contract documents; browsers load videos from the IPFS gateway themselves.
const defaultMaxBytes = 16 * 1024 * 1024;
// Metadata is a few KB; one block is the most that anybody writes as metadata.
const jsonMaxBytes = 2 * 1024 * 1024;
// New content appears on gateways within seconds, so cache a failure no longer than that.
const failureMs = 5_000;
const maxFailures = 10_000;
// A rough estimate: a parsed document's objects and strings take more memory than its text.
const parsedBytesPerByte = 4;

type Parsed = { document: unknown } | { failure: IpfsFailure };

/** Makes the IPFS client. Call `close` to end its connections and finish writing to disk. */
export function createIpfs(options: IpfsOptions): Ipfs {
  const { log, dispatcher } = options;
  // A healthy gateway answers in well under a second; a public one may search for many seconds.
  const { timeoutMs = 15_000, hedgeMs = 1_000, memoryBytes = 64 * 1024 * 1024 } = options;
  const http = createHttpClient({ connections, ...(dispatcher && { dispatcher }) });
  const bases = options.gateways.map((base) => base.replace(/\/+$/, '').replace(/\/ipfs$/, ''));
  const guarded = createSsrfSafeHttpClient({ connections, configured: bases.map((base) => new URL(base)) });
  const gateways = bases.map((base) => createGateway({ base, http, guarded, log }));
  const sizes = { maxSize: memoryBytes, maxEntrySize: Math.ceil(memoryBytes / 4) };
  const contents = new LRUCache<string, Uint8Array>({
    ...sizes,
    sizeCalculation: ({ length }) => length + 200,
  });
  const disk = options.disk && createDiskCache({ ...options.disk, log });
  const documents = new LRUCache<string, Parsed>(sizes);
  const failures = new LRUCache<string, IpfsFailure>({ max: maxFailures, ttl: failureMs });
  const shared = createSingleFlight<Uint8Array>();

  const fetchAny = async (cid: CID, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const live = AbortSignal.any([signal, deadline]);
    try {
      return await hedged(
        gateways,
        hedgeMs,
        (one, stop) => readFile(one, cid, { maxBytes, signal: stop }),
        live,
      );
    } catch (error) {
      signal.throwIfAborted();
      throw deadline.aborted && !(error instanceof IpfsFailure) ? new IpfsFailure('TIMEOUT') : error;
    }
  };

  const cat = async (cid: CID, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> => {
    const key = contentKey(cid);
    const cached = contents.get(key);
    publish('cache', { cache: 'ipfs-memory', hit: cached !== undefined });
    if (cached) {
      if (cached.length > maxBytes) throw new IpfsFailure('TOO_LARGE');
      return cached;
    }
    // The limit is part of the key: what is too large for one reader may be fine for another.
    const attempt = `${key} ${maxBytes}`;
    const failed = failures.get(attempt);
    if (failed) throw failed;
    const work = async (live: AbortSignal) => {
      try {
        const kept = await disk?.read(cid, maxBytes);
        if (disk) publish('cache', { cache: 'ipfs-disk', hit: kept !== undefined });
        const bytes = kept ?? (await fetchAny(cid, maxBytes, live));
        contents.set(key, bytes);
        if (!kept) disk?.write(cid, bytes);
        return bytes;
      } catch (error) {
        if (error instanceof IpfsFailure) failures.set(attempt, error);
        throw error;
      }
    };
    return shared.join(attempt, work, signal);
  };

  // Keyed by the CID as written: parsing it each time costs more than caching a few documents twice.
  const keep = (text: string, bytes: Uint8Array): Parsed => {
    const parsed = parse(bytes);
    documents.set(text, parsed, { size: bytes.length * parsedBytesPerByte + 200 });
    return parsed;
  };

  const url = (cid: string, path = '') => `${bases[0]}/ipfs/${cid}${path}`;

  return {
    cat: async (text, { maxBytes = defaultMaxBytes, signal } = {}) => cat(known(text), maxBytes, signal),
    async json(text, signal) {
      const parsed = documents.get(text) ?? keep(text, await cat(known(text), jsonMaxBytes, signal));
      if ('failure' in parsed) throw parsed.failure;
      return parsed.document;
    },
    jsonInMemory(text) {
      const parsed = documents.get(text);
      return parsed && 'document' in parsed ? parsed : undefined;
    },
    url,
    reference(text) {
      const reference = parseIpfsReference(text);
      return reference && { ...reference, url: url(reference.cid, reference.path) };
    },
    check: (signal) => check(http, bases, signal),
    close: async () => {
      await Promise.all([http.close(), guarded.close(), disk?.close()]);
    },
  };
}

function known(text: string): CID {
  const cid = parseCid(text);
  if (!cid) throw new IpfsFailure('NOT_FOUND', { cause: 'it is no CID' });
  return cid;
}

/** Bytes of a CID never change, so invalid JSON is cached like a document. */
function parse(bytes: Uint8Array): Parsed {
  try {
    return { document: readJson(bytes) };
  } catch (cause) {
    return { failure: new IpfsFailure('INVALID_JSON', { cause }) };
  }
}
