import type { CID } from 'multiformats/cid';
import {
  checkedContent,
  checksumBytes,
  createDiskCache,
  type DiskCacheOptions,
  withChecksum,
} from '../../lib/disk-cache.ts';
import { contentKey, isDagPb, verified } from './verify.ts';

/**
 * Opens a cache of verified content: one file for each CID, verified again when it is read. A single block is
 * verified by its CID. The CID of a file of several blocks is not a hash of the file, so it is stored with a
 * checksum.
 */
export function createContentCache(options: Omit<DiskCacheOptions, 'name'>) {
  const cache = createDiskCache({ ...options, name: 'IPFS cache' });
  return {
    /** Undefined when the content is not cached, longer than `maxBytes`, or damaged. */
    read: (cid: CID, maxBytes: number): Promise<Uint8Array | undefined> =>
      isDagPb(cid)
        ? cache.read(contentKey(cid), maxBytes + checksumBytes, checkedContent)
        : cache.read(contentKey(cid), maxBytes, (file) => verified(cid, file).catch(() => undefined)),
    /** Writes in the background: callers do not wait for the disk. */
    write: (cid: CID, content: Uint8Array) =>
      cache.write(contentKey(cid), isDagPb(cid) ? withChecksum(content) : [content]),
    /** Waits for the writes under way. */
    close: () => cache.close(),
  };
}

export type ContentCache = ReturnType<typeof createContentCache>;
