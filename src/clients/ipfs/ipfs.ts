import type { Logger } from '@srr-gateway/common/log';
import { LRUCache } from 'lru-cache';
import type { CID } from 'multiformats/cid';
import { readJson } from '../../lib/json-document.ts';
import { createSingleFlight } from '../../lib/single-flight.ts';
import { publish } from '../../observability/telemetry.ts';
import { createContentCache } from './disk-cache.ts';
import { IpfsFailure } from './failure.ts';
import { createGateways } from './gateways.ts';
import { type IpfsReference, parseCid, parseIpfsReference } from './reference.ts';
import { contentKey, embeddedBlock, isDagPb } from './verify.ts';

export { type ContentFailure, IpfsFailure } from './failure.ts';
export { parseIpfsReference } from './reference.ts';

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

/** Settings of the IPFS client. */
export interface IpfsOptions {
  /** Addresses before `/ipfs/<cid>`, in order of preference. */
  gateways: readonly string[];
  log: Logger;
  /** Time-out for one piece of content, over all gateways together, in milliseconds. */
  timeoutMs?: number;
  /** How long a gateway may be silent before the next one is asked too, in milliseconds. */
  hedgeMs?: number;
  /** Size of the memory cache, in bytes. The cache of parsed documents takes as much again. */
  memoryBytes?: number;
  /** A second, larger cache on disk, which outlives the process. Absent: memory only. */
  disk?: { directory: string; maxBytes: number } | undefined;
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

/**
 * Makes the client that reads content by CID. Bytes are verified against the CID before they are returned or cached.
 * Throws `IpfsFailure`, whose `reason` is a `MetadataStatus` of the schema, or the signal's reason. Call `close` to
 * end its connections and finish writing to disk.
 */
export function createIpfs(options: IpfsOptions) {
  const { log } = options;
  // A healthy gateway answers in well under a second; a public one may search for many seconds.
  const { timeoutMs = 15_000, hedgeMs = 1_000, memoryBytes = 64 * 1024 * 1024 } = options;
  const bases = options.gateways.map((base) => base.replace(/\/+$/, '').replace(/\/ipfs$/, ''));
  const gateways = createGateways({ bases, log, timeoutMs, hedgeMs });
  const callerGateways = createGateways({ bases, log, timeoutMs, hedgeMs });
  const pictureGateways = createGateways({ bases, log, timeoutMs, hedgeMs });
  const sizes = { maxSize: memoryBytes, maxEntrySize: Math.ceil(memoryBytes / 4) };
  const contents = new LRUCache<string, Uint8Array>({
    ...sizes,
    sizeCalculation: ({ length }) => length + 200,
  });
  const disk = options.disk && createContentCache({ ...options.disk, log });
  const documents = new LRUCache<string, Parsed>(sizes);

  const inMemory = (key: string): Uint8Array | undefined => {
    const bytes = contents.get(key);
    publish('cache', { cache: 'ipfs-memory', hit: bytes !== undefined });
    return bytes;
  };

  /** Reads through the caches, and what they lack from these gateways. */
  const readerOf = ({ read }: typeof gateways) => {
    const failures = new LRUCache<string, IpfsFailure>({ max: maxFailures, ttl: failureMs });
    const inFlight = createSingleFlight<Uint8Array>();

    const load = async (cid: CID, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> => {
      // A CID that embeds its root may be too long for a file name, and its content needs no cache.
      const cache = embeddedBlock(cid) ? undefined : disk;
      const onDisk = await cache?.read(cid, maxBytes);
      if (cache) publish('cache', { cache: 'ipfs-disk', hit: onDisk !== undefined });
      const bytes = onDisk ?? (await read(cid, maxBytes, signal));
      if (!onDisk) cache?.write(cid, bytes);
      return bytes;
    };

    const remember = (attempt: string) => (error: unknown) => {
      if (error instanceof IpfsFailure) failures.set(attempt, error);
      throw error;
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
      if (bytes) return within(maxBytes, bytes);
      // The limit is part of the key: content that is too large for one reader may be fine for another.
      const attempt = `${key} ${maxBytes}`;
      const failed = failures.get(attempt);
      if (failed) throw failed;
      const work = (live: AbortSignal) => load(cid, maxBytes, live).catch(remember(attempt));
      const loaded = await inFlight.join(attempt, work, signal);
      if (keepInMemory) contents.set(key, loaded);
      return loaded;
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
  };

  // The key is the CID as written: parsing it each time costs more than caching a few documents twice.
  const parseOnce = (text: string, bytes: Uint8Array): Parsed => {
    const parsed = parse(bytes);
    documents.set(text, parsed, { size: bytes.length * parsedBytesPerByte + 200 });
    return parsed;
  };

  /** The address at which a browser can load content, at the preferred gateway. */
  const url = (cid: string, path = '') =>
    `${bases[0]}/ipfs/${cid}${path.replace(/[\s"<>^`{|}]/g, encodeURIComponent)}`;

  return {
    ...readerOf(gateways),
    /**
     * Reads what a caller names. Anybody can name content that no gateway has and that all search for until the
     * time-out, so it takes no connection from the documents of records.
     */
    named: readerOf(callerGateways),
    /** Reads the sources of pictures, which callers name too, but only a few at a time. */
    pictures: readerOf(pictureGateways),
    url,
    /** Parses any form of naming content by CID (see `parseIpfsReference`); undefined for other text. */
    reference(text: string): (IpfsReference & { url: string }) | undefined {
      const reference = parseIpfsReference(text);
      return reference && { ...reference, url: url(reference.cid, reference.path) };
    },
    check: gateways.check,
    close: async () => {
      await Promise.all([gateways.close(), callerGateways.close(), pictureGateways.close(), disk?.close()]);
    },
  };
}

export type Ipfs = ReturnType<typeof createIpfs>;
export type IpfsReader = Ipfs['named'];

/** Bytes of a CID never change, so invalid JSON is cached like a document. */
function within(maxBytes: number, bytes: Uint8Array): Uint8Array {
  if (bytes.length > maxBytes) throw new IpfsFailure('TOO_LARGE');
  return bytes;
}

function parse(bytes: Uint8Array): Parsed {
  try {
    return { document: readJson(bytes), bytes: bytes.length };
  } catch (cause) {
    return { failure: new IpfsFailure('INVALID_JSON', { cause }) };
  }
}
