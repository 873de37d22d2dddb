import { hash, randomUUID } from 'node:crypto';
import { access, constants, lstat, open, opendir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@srr-gateway/common/log';
import { makeDirectory } from '@srr-gateway/common/make-directory';
import { reasonOf } from '@srr-gateway/common/start-error';
import type { MaybePromise } from './maybe-promise.ts';

/** Where a disk cache is, and how large it may become. */
export interface DiskCacheOptions {
  /** Name in log lines, such as "IPFS cache". */
  name: string;
  /** Several processes may share it. If it cannot be used, a warning is logged once and nothing is cached. */
  directory: string;
  /**
   * The size of all files together. Each process that shares the directory may exceed it by a sixteenth for a while.
   */
  maxBytes: number;
  log: Logger;
}

// Content that may wait in memory for a slow disk. Content beyond that is not written.
const maxPendingBytes = 32 * 1024 * 1024;
// A write takes less than a second, so a partial file of this age is from a process that died.
const abandonedMs = 10 * 60_000;

/** A bounded directory with one file for each key. Keys consist of lower-case letters and digits. */
export type DiskCache = ReturnType<typeof createDiskCache>;

/** Opens the cache and sweeps its directory in the background. Never throws for the directory. */
export function createDiskCache({ name, directory, maxBytes, log }: DiskCacheOptions) {
  const slack = maxBytes / 16;
  const running = new Set<Promise<unknown>>();
  let pendingBytes = 0;
  let writtenBytes = 0;
  let warned = false;

  const warnOnce = (error: unknown) => {
    if (!warned)
      log.warn(
        { directory, reason: reasonOf(error) },
        `the directory of the ${name} cannot be used: content is cached in memory only`,
      );
    warned = true;
  };
  const inBackground = (work: Promise<unknown>) => {
    const task = work.catch(warnOnce).finally(() => running.delete(task));
    running.add(task);
  };
  const sweepAll = () => {
    writtenBytes = 0;
    return sweep(directory, maxBytes - slack);
  };
  inBackground(prepare(directory));
  inBackground(sweepAll());

  const store = async (key: string, content: Uint8Array[], bytes: number) => {
    try {
      await writeAtomically(directory, key, content);
      warned = false;
      writtenBytes += bytesOnDisk(bytes);
      if (writtenBytes > slack) inBackground(sweepAll());
    } finally {
      pendingBytes -= bytes;
    }
  };

  return {
    /**
     * Undefined when the content is not cached, longer than `limit`, or damaged. `check` verifies a file and
     * returns its content; undefined when it is damaged.
     */
    async read(
      key: string,
      limit: number,
      check: (file: Uint8Array) => MaybePromise<Uint8Array | undefined>,
    ): Promise<Uint8Array | undefined> {
      const path = join(directory, `${key}.content`);
      const file = await readUpTo(path, limit).catch(() => undefined);
      const content = file && (await check(file));
      if (file && !content) {
        log.warn({ path }, `a file of the ${name} was damaged; it is removed`);
        await rm(path, { force: true }).catch(warnOnce);
      }
      return content;
    },
    /** Writes in the background: callers do not wait for the disk. */
    write(key: string, content: Uint8Array[]): void {
      const bytes = content.reduce((sum, { length }) => sum + length, 0);
      // Larger content would evict too many other files.
      if (bytes > maxBytes / 4 || pendingBytes + bytes > maxPendingBytes) return;
      pendingBytes += bytes;
      inBackground(store(key, content, bytes));
    },
    /** Waits for the writes under way. */
    async close(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

async function prepare(directory: string): Promise<void> {
  makeDirectory(directory);
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
}

const sha256 = (content: Uint8Array) => hash('sha256', content, 'buffer');

/** Bytes of the checksum in a file. */
export const checksumBytes = 32;

/** Adds a checksum, for content that cannot be verified by its key. */
export const withChecksum = (content: Uint8Array): Uint8Array[] => [sha256(content), content];

/** The content of a file with a checksum; undefined when the checksum is wrong. */
export function checkedContent(file: Uint8Array): Uint8Array | undefined {
  const content = file.subarray(checksumBytes);
  return sha256(content).equals(file.subarray(0, checksumBytes)) ? content : undefined;
}

/** Writes a file under another name and renames it, so that readers never see a partial file. */
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
    // Record the time of last use for the sweep as mtime, because access times are often disabled.
    const now = new Date();
    await file.utimes(now, now).catch(() => {});
    return content;
  } finally {
    await file.close();
  }
}

/** The bytes that a file takes on disk, in whole blocks, which matters for many small files. */
const bytesOnDisk = (bytes: number) => Math.ceil(bytes / 4_096) * 4_096;

/** The names of the cache's own files. The sweep does not touch other files. */
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
