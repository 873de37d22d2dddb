import { lstat, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The name of a cached file. The sweep leaves files with other names alone. */
export const fileName = (key: string) => `${key}.content`;
/** The name of a file while it is written. */
export const partialName = (key: string, unique: string) => `${key}.${unique}.partial`;
const ownName = /^[a-z0-9]+\.(?:content|[a-z0-9-]+\.partial)$/;

// A write takes moments: an older partial file was left by a process that died while writing.
const abandonedMs = 10 * 60_000;

/** The bytes that a file takes on disk, in whole blocks; otherwise many small files count too low. */
export const onDisk = (bytes: number) => Math.ceil(bytes / 4_096) * 4_096;

/** Removes the least recently used files until the rest fits. Other processes may sweep at the same time. */
export async function sweep(directory: string, maxBytes: number): Promise<void> {
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
    const bytes = onDisk(stats.size);
    total += bytes;
    found.push({ path, bytes, usedAt: stats.mtimeMs });
  }
  for (const { path, bytes } of found.sort((a, b) => a.usedAt - b.usedAt)) {
    if (total <= maxBytes) return;
    await rm(path, { force: true });
    total -= bytes;
  }
}
