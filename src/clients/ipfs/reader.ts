import { LRUCache } from 'lru-cache';
import type { CID } from 'multiformats/cid';
import { readJson } from '../../lib/json-document.ts';
import { createSingleFlight } from '../../lib/single-flight.ts';
import { publish } from '../../observability/telemetry.ts';
import type { ContentCache } from './disk-cache.ts';
import { IpfsFailure } from './failure.ts';
import type { Gateways } from './gateways.ts';
import { parseCid } from './reference.ts';
import { contentKey, embeddedBlock, isDagPb } from './verify.ts';

/** A JSON document, and the length of its text in bytes. */
export interface JsonContent {
  document: unknown;
  bytes: number;
}

/** How content is read. */
export interface CatOptions {
  maxBytes?: number;
  signal?: AbortSignal | undefined;
  /** False for large content that is read once: it would evict many documents from memory. */
  keepInMemory?: boolean;
}

// Enough for pictures and contract documents; browsers load videos from the IPFS gateway themselves.
const defaultMaxBytes = 16 * 1024 * 1024;
// Metadata is a few KB, so one block is more than any document needs.
const jsonMaxBytes = 2 * 1024 * 1024;
// New content appears on gateways within seconds, so cache a failure no longer than that.
const failureMs = 5_000;
const maxFailures = 10_000;
// A rough estimate: a parsed document's objects and strings take more memory than its text.
const parsedBytesPerByte = 4;

type Parsed = JsonContent | { failure: IpfsFailure };

/** The caches that all readers share. `memoryBytes` is the size of each of the two in memory. */
export function createCaches(memoryBytes: number, disk: ContentCache | undefined) {
  const sizes = { maxSize: memoryBytes, maxEntrySize: Math.ceil(memoryBytes / 4) };
  return {
    contents: new LRUCache<string, Uint8Array>({ ...sizes, sizeCalculation: ({ length }) => length + 200 }),
    /** Keyed by the CID as written: parsing it each time costs more than caching a few documents twice. */
    documents: new LRUCache<string, Parsed>(sizes),
    disk,
  };
}

export type IpfsReader = ReturnType<typeof createReader>;

/** Creates a reader that takes content from the caches, or else from these gateways. */
export function createReader(
  { contents, documents, disk }: ReturnType<typeof createCaches>,
  { read }: Pick<Gateways, 'read'>,
) {
  const failures = new LRUCache<string, IpfsFailure>({ max: maxFailures, ttl: failureMs });
  const inFlight = createSingleFlight<Uint8Array>();

  const inMemory = (key: string): Uint8Array | undefined => {
    const bytes = contents.get(key);
    publish('cache', { cache: 'ipfs-memory', hit: bytes !== undefined });
    return bytes;
  };

  const load = async (cid: CID, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> => {
    // A CID that embeds its root may be too long for a file name, and its content needs no cache.
    const cache = embeddedBlock(cid) ? undefined : disk;
    const onDisk = await cache?.read(cid, maxBytes);
    if (cache) publish('cache', { cache: 'ipfs-disk', hit: onDisk !== undefined });
    const bytes = onDisk ?? (await read(cid, maxBytes, signal));
    if (!onDisk) cache?.write(cid, bytes);
    return bytes;
  };

  /** The bytes of a block or file. Do not change them: other readers share them. */
  const cat = async (
    text: string,
    { maxBytes = defaultMaxBytes, signal, keepInMemory = true }: CatOptions = {},
  ): Promise<Uint8Array> => {
    const cid = parseCid(text);
    if (!cid) throw new IpfsFailure('NOT_FOUND', { cause: 'it is no CID' });
    const key = contentKey(cid);
    const bytes = (isDagPb(cid) ? undefined : embeddedBlock(cid)) ?? inMemory(key);
    if (bytes && bytes.length > maxBytes) throw new IpfsFailure('TOO_LARGE');
    if (bytes) return bytes;
    // The limit is part of the key: content that is too large for one reader may be fine for another.
    const attempt = `${key} ${maxBytes}`;
    const failed = failures.get(attempt);
    if (failed) throw failed;
    const work = (live: AbortSignal) =>
      load(cid, maxBytes, live).catch((error: unknown) => {
        if (error instanceof IpfsFailure) failures.set(attempt, error);
        throw error;
      });
    const loaded = await inFlight.join(attempt, work, signal);
    if (keepInMemory) contents.set(key, loaded);
    return loaded;
  };

  const parseOnce = (text: string, bytes: Uint8Array): Parsed => {
    const parsed = parse(bytes);
    documents.set(text, parsed, { size: bytes.length * parsedBytesPerByte + 200 });
    return parsed;
  };

  /** A JSON document. Do not change it: other readers share it. */
  const json = async (text: string, signal?: AbortSignal): Promise<JsonContent> => {
    const parsed =
      documents.get(text) ?? parseOnce(text, await cat(text, { maxBytes: jsonMaxBytes, signal }));
    if ('failure' in parsed) throw parsed.failure;
    return parsed;
  };

  /** The same from memory, without waiting; undefined when it is not cached or not JSON. */
  const jsonInMemory = (text: string): JsonContent | undefined => {
    const parsed = documents.get(text);
    return parsed && 'document' in parsed ? parsed : undefined;
  };

  return { cat, json, jsonInMemory };
}

/** Bytes of a CID never change, so invalid JSON is cached like a document. */
function parse(bytes: Uint8Array): Parsed {
  try {
    return { document: readJson(bytes), bytes: bytes.length };
  } catch (cause) {
    return { failure: new IpfsFailure('INVALID_JSON', { cause }) };
  }
}
