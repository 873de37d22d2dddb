import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite, type PGliteOptions, types } from '@electric-sql/pglite';
import { PostgresDialect } from 'kysely';
import type { Database } from './database.ts';
import { lockDirectory } from './directory-lock.ts';
import { emptyCluster } from './empty-cluster.ts';
import { pglitePool } from './pglite-pool.ts';

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
    const lite = inMemory
      ? await create({ dataDir, parsers })
      : await PGlite.create({ dataDir: await clusterIn(dataDir), parsers });
    return {
      kind: 'pglite',
      lite,
      dialect: new PostgresDialect({ pool: pglitePool(lite) }),
      listen: (channel, onNotify) => lite.listen(channel, onNotify),
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
 * The cluster's directory, made at the first start. It is renamed into place when it is complete, so that a
 * cluster left half made by a kill is never opened.
 */
async function clusterIn(dataDir: string): Promise<string> {
  const cluster = join(dataDir, 'pglite');
  if (existsSync(cluster)) return cluster;
  const unfinished = `${cluster}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const lite = await create({ dataDir: unfinished });
  await lite.close();
  renameSync(unfinished, cluster);
  return cluster;
}

async function create(options: PGliteOptions): Promise<PGlite> {
  const loadDataDir = await emptyCluster();
  return PGlite.create({ ...options, ...(loadDataDir && { loadDataDir }) });
}
