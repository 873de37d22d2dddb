import type { Logger } from '@srr-gateway/common/log';
import { createContentCache } from './disk-cache.ts';
import { createGateways } from './gateways.ts';
import { createCaches, createReader } from './reader.ts';
import { type IpfsReference, parseIpfsReference } from './reference.ts';

export { type ContentFailure, IpfsFailure } from './failure.ts';
export type { IpfsReader, JsonContent } from './reader.ts';
export { parseCid, parseIpfsReference } from './reference.ts';
export { contentKey } from './verify.ts';

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

/**
 * Makes the client that reads content by CID. Bytes are verified against the CID before they are returned or cached.
 * Throws `IpfsFailure`, whose `kind` is a `MetadataStatus` of the schema, or the signal's reason. Call `close` to
 * end its connections and finish writing to disk.
 */
export function createIpfs(options: IpfsOptions) {
  const { log } = options;
  // A healthy gateway answers in well under a second; a public one may search for many seconds.
  const { timeoutMs = 15_000, hedgeMs = 1_000, memoryBytes = 64 * 1024 * 1024 } = options;
  const bases = options.gateways.map((base) => base.replace(/\/+$/, '').replace(/\/ipfs$/, ''));
  // Each pool has its own connections.
  const pool = () => createGateways({ bases, log, timeoutMs, hedgeMs });
  const [gateways, callerGateways, pictureGateways] = [pool(), pool(), pool()];
  const disk = options.disk && createContentCache({ ...options.disk, log });
  const caches = createCaches(memoryBytes, disk);

  /** The address at which a browser can load content, at the preferred gateway. */
  const url = (cid: string, path = '') =>
    `${bases[0]}/ipfs/${cid}${path.replace(/[\s"<>^`{|}]/g, encodeURIComponent)}`;

  return {
    ...createReader(caches, gateways),
    /**
     * Reads content that callers name, with connections of its own: anybody can name content that all gateways search
     * for in vain until the time-out, which must not block the documents of records.
     */
    named: createReader(caches, callerGateways),
    /** Reads the originals of pictures, which callers name too, but only a few at a time. */
    pictures: createReader(caches, pictureGateways),
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
