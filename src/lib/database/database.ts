import type { PGlite } from '@electric-sql/pglite';
import type { Dialect } from 'kysely';
import type { Logger } from '../log.ts';
import { openPglite } from './pglite.ts';
import { openPostgres } from './postgres.ts';

/** Called with a notification's payload, or without one when some may have been missed (reconnect). */
export type OnNotify = (payload?: string) => void;

interface Common {
  readonly dialect: Dialect;
  /** Hears a NOTIFY channel until the returned function is called; reconnects by itself. */
  listen(channel: string, onNotify: OnNotify): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** A PostgreSQL server, or PGlite (PostgreSQL in this process) on a directory: the same SQL either way. */
export type Database =
  | (Common & { readonly kind: 'pglite'; readonly lite: PGlite })
  | (Common & { readonly kind: 'postgres'; readonly url: string });

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
