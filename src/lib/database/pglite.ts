import { join } from 'node:path';
import { PGlite, types } from '@electric-sql/pglite';
import { PostgresDialect } from 'kysely';
import type { Database } from './database.ts';
import { lockDirectory } from './directory-lock.ts';
import { pglitePool } from './pglite-pool.ts';

/** Values in the form in which the `pg` driver gives them, so that callers need not know the store. */
const parsers = {
  [types.INT8]: (text: string) => text,
  [types.BYTEA]: (text: string) => Buffer.from(text.slice(2), 'hex'),
};

export async function openPglite(dataDir: string): Promise<Database> {
  const inMemory = dataDir.startsWith('memory://');
  const unlock = inMemory ? () => {} : lockDirectory(dataDir);
  const lite = await PGlite.create({ dataDir: inMemory ? dataDir : join(dataDir, 'pglite'), parsers }).catch(
    (error: unknown) => {
      unlock();
      throw error;
    },
  );
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
}
