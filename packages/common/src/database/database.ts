import type { PGlite } from '@electric-sql/pglite';
import type { Dialect } from 'kysely';

/** Called with a notification's payload. Called without one after a reconnect: some may have been missed. */
export type OnNotify = (payload?: string) => void;

interface Common {
  readonly dialect: Dialect;
  /**
   * From now on a statement fails that the server does not answer within half a minute, and a transaction that
   * is idle for ten seconds or waits five for a lock. Migrations, before, may take longer.
   */
  boundStatements(): void;
  /** Listens to a NOTIFY channel until the returned function is called; reconnects by itself. */
  listen(channel: string, onNotify: OnNotify): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** A PostgreSQL server, or PGlite (PostgreSQL in this process) in a directory. Both take the same SQL. */
export type Database =
  | (Common & { readonly kind: 'pglite'; readonly lite: PGlite })
  | (Common & { readonly kind: 'postgres'; readonly url: string });
