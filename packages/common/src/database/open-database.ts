import type { Logger } from '../log.ts';
import type { Database } from './database.ts';
import { openPglite } from './pglite.ts';
import { openPostgres } from './postgres.ts';

/** Location of the database. */
export interface DatabaseLocation {
  /** `postgres://…`. Absent: the embedded database in `dataDir`. */
  url?: string | undefined;
  /** The address of PostgreSQL itself, when `url` is that of a pooler such as PgBouncer. */
  directUrl?: string | undefined;
  /** Directory of the embedded database, or `memory://`. */
  dataDir: string;
  /** Pooled connections to the server; the embedded database has one. */
  poolSize?: number;
}

/** Opens the database. @throws StartError when it cannot be reached, or another process has `dataDir`. */
export function openDatabase(location: DatabaseLocation, log: Logger): Promise<Database> {
  const { url, directUrl, dataDir, poolSize = 10 } = location;
  return url === undefined ? openPglite(dataDir) : openPostgres({ url, directUrl, poolSize }, log);
}
