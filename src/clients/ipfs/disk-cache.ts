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

export interface DiskCacheOptions {
  /** Several processes may share it. One that cannot be used is told once, and nothing is kept. */
  directory: string;
  /** All files together; each process that shares the directory may add a sixteenth for a while. */
  maxBytes: number;
  log: Logger;
}

/** Verified content, one file each, named by its CID and checked again when it is read. */
export interface DiskCache {
  /** Undefined when it is not here, is longer than asked for, or is not what was written. */
  read(cid: CID, maxBytes: number): Promise<Uint8Array | undefined>;
  /** In the background: nobody waits for a disk. */
  write(cid: CID, content: Uint8Array): void;
  close(): Promise<void>;
}

// A disk that does not keep up holds no more than this in memory; the rest is not written.
const maxWaitingBytes = 32 * 1024 * 1024;

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
      // One that takes a fourth of the place would drive out too many others.
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

/** A file has its name only when all of it is there, whoever else writes the same one. */
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

/** Room for a seal before the content. */
const sealRoom = 64;

async function readUpTo(path: string, limit: number): Promise<Uint8Array | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > limit + sealRoom) return undefined;
    const content = await file.readFile();
    // The time of its last use, by which the sweep goes; access times are often switched off.
    const now = new Date();
    await file.utimes(now, now).catch(() => {});
    return content;
  } finally {
    await file.close();
  }
}
