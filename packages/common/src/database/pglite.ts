import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite, types } from '@electric-sql/pglite';
import type { Database } from './database.ts';
import { lockDirectory } from './directory-lock.ts';
import { copyEmptyCluster, emptyCluster } from './empty-cluster.ts';
import { LocalChannels } from './local-channels.ts';
import { TransactionLockDialect } from './migrations.ts';
import { pglitePool } from './pglite-pool.ts';

// V8 would optimise 9 MB of WebAssembly, which takes hundreds of megabytes for seconds, and queries gain nothing.
// It reads both flags when it compiles, so set them before PGlite is compiled.
setFlagsFromString('--no-wasm-dynamic-tiering');
setFlagsFromString('--no-wasm-tier-up');

/** PostgreSQL’s buffers at their smallest: one process has one connection, and the file system caches as well. */
const startParams = [
  ...PGlite.defaultStartParams,
  ...['shared_buffers=4MB', 'max_connections=5', 'wal_buffers=64kB'].flatMap((setting) => ['-c', setting]),
];

/** Return values as the `pg` driver does, so that callers need not know which database it is. */
const parsers = {
  [types.INT8]: (text: string) => text,
  [types.BYTEA]: (text: string) => Buffer.from(text.slice(2), 'hex'),
};

/** Opens PGlite in `dataDir`, for one process at a time, or in memory (`memory://`). @throws StartError. */
export async function openPglite(dataDir: string): Promise<Database> {
  const inMemory = dataDir.startsWith('memory://');
  const unlock = inMemory ? () => {} : lockDirectory(dataDir);
  try {
    const lite = await (inMemory ? createInMemory(dataDir) : openCluster(dataDir));
    // No other process can open the directory, so messages stay in this process.
    const channels = new LocalChannels();
    return {
      kind: 'pglite',
      lite,
      dialect: new TransactionLockDialect({ pool: pglitePool(lite) }),
      // It is in this process, so no packets can get lost.
      boundStatements: () => {},
      openChannel: async (name, onMessages) => channels.open(name, onMessages),
      close: async () => {
        await lite.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * Opens the cluster in `dataDir`, and creates it at the first start. A marker file says that it is not complete: a
 * cluster that a kill left incomplete is created again.
 */
async function openCluster(dataDir: string): Promise<PGlite> {
  const cluster = join(dataDir, 'pglite');
  const mark = `${cluster}.incomplete`;
  const made = existsSync(cluster) && !existsSync(mark);
  if (!made) {
    writeFileSync(mark, '');
    rmSync(cluster, { recursive: true, force: true });
    await copyEmptyCluster(cluster);
  }
  const lite = await PGlite.create({ dataDir: cluster, parsers, startParams });
  if (!made) rmSync(mark);
  return lite;
}

async function createInMemory(dataDir: string): Promise<PGlite> {
  const loadDataDir = await emptyCluster();
  return PGlite.create({ dataDir, parsers, startParams, ...(loadDataDir && { loadDataDir }) });
}
