import { randomUUID } from 'node:crypto';
import { access, constants, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@srr-gateway/common/log';
import { makeDirectory } from '@srr-gateway/common/make-directory';
import { reasonOf } from '@srr-gateway/common/start-error';
import type { CID } from 'multiformats/cid';
import { fileName, onDisk, partialName, sweep } from './disk-sweep.ts';
import { seal, unseal } from './sealed.ts';
import { contentKey } from './verify.ts';

/** Where the disk cache is, and how large it may become. */
export interface DiskCacheOptions {
  /** Several processes may share it. If it cannot be used, one warning is logged and nothing is kept. */
  directory: string;
  /** All files together; each process that shares the directory may exceed it by a sixteenth for a while. */
  maxBytes: number;
  log: Logger;
}

/** A cache of verified content: one file for each CID, checked again when it is read. */
export interface DiskCache {
  /** Undefined when it is not cached, is longer than `maxBytes`, or is damaged. */
  read(cid: CID, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Writes in the background, because no caller should wait for the disk. */
  write(cid: CID, content: Uint8Array): void;
  /** Waits for the writes under way. */
  close(): Promise<void>;
}

// A slow disk may hold back this much content in memory; what comes on top is not written.
const maxWaitingBytes = 32 * 1024 * 1024;

/** Opens the cache and sweeps its directory in the background. Never throws for the directory. */
export function createDiskCache({ directory, maxBytes, log }: DiskCacheOptions): DiskCache {
  const slack = maxBytes / 16;
  const running = new Set<Promise<unknown>>();
  let waitingBytes = 0;
  let writtenBytes = 0;
  let told = false;

  const trouble = (error: unknown) => {
    if (!told)
      log.warn(
        { directory, reason: reasonOf(error) },
        'the directory of the IPFS cache cannot be used: content is kept in memory only',
      );
    told = true;
  };
  const inBackground = (work: Promise<unknown>) => {
    const all = work.catch(trouble).finally(() => running.delete(all));
    running.add(all);
  };
  const ready = prepare(directory).then(
    () => true,
    (error: unknown) => {
      trouble(error);
      return false;
    },
  );
  const tidy = async () => {
    writtenBytes = 0;
    if (await ready) await sweep(directory, maxBytes - slack);
  };
  inBackground(tidy());

  const keep = async (cid: CID, content: Uint8Array) => {
    try {
      if (!(await ready)) return;
      const parts = seal(cid, content);
      await writeWhole(directory, contentKey(cid), parts);
      told = false;
      writtenBytes += onDisk(parts.reduce((sum, { length }) => sum + length, 0));
      if (writtenBytes > slack) inBackground(tidy());
    } finally {
      waitingBytes -= content.length;
    }
  };

  return {
    async read(cid, limit) {
      if (!(await ready)) return undefined;
      const path = join(directory, fileName(contentKey(cid)));
      const file = await readUpTo(path, limit).catch(() => undefined);
      const content = file && (await unseal(cid, file));
      if (file && !content) {
        log.warn({ path }, 'a file of the IPFS cache was damaged; it is removed');
        await rm(path, { force: true }).catch(trouble);
      }
      return content;
    },
    write(cid, content) {
      // Content larger than a quarter of the cache would evict too much else.
      if (content.length > maxBytes / 4 || waitingBytes + content.length > maxWaitingBytes) return;
      waitingBytes += content.length;
      inBackground(keep(cid, content));
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

/** Renames a file into place once it is complete, so no reader sees a partial one, whoever else writes it. */
async function writeWhole(directory: string, key: string, parts: readonly Uint8Array[]): Promise<void> {
  const partial = join(directory, partialName(key, randomUUID()));
  try {
    await writeFile(partial, parts, { flag: 'wx' });
    await rename(partial, join(directory, fileName(key)));
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
}

/** Room for the checksum before the content. */
const sealRoom = 64;

async function readUpTo(path: string, limit: number): Promise<Uint8Array | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > limit + sealRoom) return undefined;
    const content = await file.readFile();
    // The sweep goes by the time of last use. Record it as mtime: access times are often switched off.
    const now = new Date();
    await file.utimes(now, now).catch(() => {});
    return content;
  } finally {
    await file.close();
  }
}
