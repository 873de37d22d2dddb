import { lstat, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Names of the cache's own files; whatever else is in its directory is left alone. */
export const fileName = (key: string) => `${key}.content`;
export const partialName = (key: string, unique: string) => `${key}.${unique}.partial`;
const ownName = /^[a-z0-9]+\.(?:content|[a-z0-9-]+\.partial)$/;

// A write takes moments; what is older was left by a process that died in the middle of one.
const abandonedMs = 10 * 60_000;

/** Files take whole blocks of the disk, so that many small ones are not counted too low. */
export const onDisk = (bytes: number) => Math.ceil(bytes / 4_096) * 4_096;

/** Removes what was not used for longest, until the rest fits. Other processes may do the same meanwhile. */
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
