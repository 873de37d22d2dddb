import type { Logger } from '../log.ts';
import type { Database } from './database.ts';
import { openPglite } from './pglite.ts';
import { openPostgres } from './postgres.ts';

export interface DatabaseLocation {
  /** `postgres://…`; absent: embedded in `dataDir`. */
  url?: string | undefined;
  /** Directory of the embedded database, or `memory://`. */
  dataDir: string;
  /** Pooled connections to the server; the embedded database has one. */
  poolSize?: number;
}

export function openDatabase(location: DatabaseLocation, log: Logger): Promise<Database> {
  return location.url === undefined
    ? openPglite(location.dataDir)
    : openPostgres(location.url, location.poolSize ?? 10, log);
}
