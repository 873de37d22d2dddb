import { createHash, randomUUID } from 'node:crypto';
import { access, constants, lstat, open, opendir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@srr-gateway/common/log';
import { makeDirectory } from '@srr-gateway/common/make-directory';
import { reasonOf } from '@srr-gateway/common/start-error';
import type { CID } from 'multiformats/cid';
import { contentKey, isDagPb, verified } from './verify.ts';

/** Where the disk cache is, and how large it may become. */
export interface DiskCacheOptions {
  /** Several processes may share it. If it cannot be used, one warning is logged and nothing is cached. */
  directory: string;
  /** All files together; each process that shares the directory may exceed it by a sixteenth for a while. */
  maxBytes: number;
  log: Logger;
}

/** A cache of verified content: one checksummed file for each CID, checked again when it is read. */
export interface DiskCache {
  /** Undefined when it is not cached, is longer than `maxBytes`, or is damaged. */
  read(cid: CID, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Writes in the background, because no caller should wait for the disk. */
  write(cid: CID, content: Uint8Array): void;
  /** Waits for the writes under way. */
  close(): Promise<void>;
}

// A slow disk may hold back this much content in memory; what comes on top is not written.
const maxPendingBytes = 32 * 1024 * 1024;
// A write takes moments: an older partial file was left by a process that died while writing.
const abandonedMs = 10 * 60_000;

/** Opens the cache and sweeps its directory in the background. Never throws for the directory. */
export function createDiskCache({ directory, maxBytes, log }: DiskCacheOptions): DiskCache {
  const slack = maxBytes / 16;
  const running = new Set<Promise<unknown>>();
  let pendingBytes = 0;
  let writtenBytes = 0;
  let warned = false;

  const warnOnce = (error: unknown) => {
    if (!warned)
      log.warn(
        { directory, reason: reasonOf(error) },
        'the directory of the IPFS cache cannot be used: content is cached in memory only',
      );
    warned = true;
  };
  const inBackground = (work: Promise<unknown>) => {
    const task = work.catch(warnOnce).finally(() => running.delete(task));
    running.add(task);
  };
  const ready = prepare(directory).then(
    () => true,
    (error: unknown) => {
      warnOnce(error);
      return false;
    },
  );
  const sweepUnlessUnusable = async () => {
    writtenBytes = 0;
    if (await ready) await sweep(directory, maxBytes - slack);
  };
  inBackground(sweepUnlessUnusable());

  const store = async (cid: CID, content: Uint8Array) => {
    try {
      if (!(await ready)) return;
      await writeAtomically(directory, contentKey(cid), withChecksum(cid, content));
      warned = false;
      writtenBytes += bytesOnDisk(content.length);
      if (writtenBytes > slack) inBackground(sweepUnlessUnusable());
    } finally {
      pendingBytes -= content.length;
    }
  };

  return {
    async read(cid, limit) {
      if (!(await ready)) return undefined;
      const path = join(directory, `${contentKey(cid)}.content`);
      const file = await readUpTo(path, limit + checksumBytesOf(cid)).catch(() => undefined);
      const content = file && (await checkedContent(cid, file));
      if (file && !content) {
        log.warn({ path }, 'a file of the IPFS cache was damaged; it is removed');
        await rm(path, { force: true }).catch(warnOnce);
      }
      return content;
    },
    write(cid, content) {
      // Content larger than a quarter of the cache would evict too much else.
      if (content.length > maxBytes / 4 || pendingBytes + content.length > maxPendingBytes) return;
      pendingBytes += content.length;
      inBackground(store(cid, content));
    },
    async close() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

async function prepare(directory: string): Promise<void> {
  makeDirectory(directory);
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
}

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest();

/** A single block is checked by its CID. A file of several is not what its CID hashes, and has a checksum. */
const checksumBytesOf = (cid: CID) => (isDagPb(cid) ? 32 : 0);

const withChecksum = (cid: CID, content: Uint8Array): Uint8Array[] =>
  isDagPb(cid) ? [sha256(content), content] : [content];

/** The content of a file; undefined when any bit is missing or different. */
async function checkedContent(cid: CID, file: Uint8Array): Promise<Uint8Array | undefined> {
  if (!isDagPb(cid)) return verified(cid, file).catch(() => undefined);
  const content = file.subarray(checksumBytesOf(cid));
  return sha256(content).equals(file.subarray(0, checksumBytesOf(cid))) ? content : undefined;
}

/** Renames a file into place once it is complete, so no reader sees a partial one, whoever else writes it. */
async function writeAtomically(directory: string, key: string, parts: Uint8Array[]): Promise<void> {
  const partial = join(directory, `${key}.${randomUUID()}.partial`);
  try {
    await writeFile(partial, parts, { flag: 'wx' });
    await rename(partial, join(directory, `${key}.content`));
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
}

async function readUpTo(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > maxBytes) return undefined;
    const content = await file.readFile();
    // The sweep goes by the time of last use. Record it as mtime: access times are often switched off.
    const now = new Date();
    await file.utimes(now, now).catch(() => {});
    return content;
  } finally {
    await file.close();
  }
}

/** The bytes that a file takes on disk, in whole blocks; otherwise many small files count too low. */
const bytesOnDisk = (bytes: number) => Math.ceil(bytes / 4_096) * 4_096;

/** The names of the cache's files. The sweep leaves other files alone. */
const ownName = /^[a-z0-9]+\.(?:content|[a-z0-9-]+\.partial)$/;

/** Removes the least recently used files until the rest fits. Other processes may sweep at the same time. */
async function sweep(directory: string, maxBytes: number): Promise<void> {
  const found: { path: string; bytes: number; usedAt: number }[] = [];
  let total = 0;
  for await (const { name } of await opendir(directory)) {
    if (!ownName.test(name)) continue;
    const path = join(directory, name);
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isFile()) continue;
    if (name.endsWith('.partial')) {
      if (Date.now() - stats.mtimeMs > abandonedMs) await rm(path, { force: true });
      continue;
    }
    const bytes = bytesOnDisk(stats.size);
    total += bytes;
    found.push({ path, bytes, usedAt: stats.mtimeMs });
  }
  for (const { path, bytes } of found.sort((a, b) => a.usedAt - b.usedAt)) {
    if (total <= maxBytes) return;
    await rm(path, { force: true });
    total -= bytes;
  }
}
