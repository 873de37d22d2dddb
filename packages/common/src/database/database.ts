import type { PGlite } from '@electric-sql/pglite';
import type { Dialect } from 'kysely';
import type { Channel, OnMessages } from '../channel.ts';
import type { StartError } from '../start-error.ts';

interface Common {
  readonly dialect: Dialect;
  /**
   * From now on a statement fails that the server does not answer within half a minute, and a transaction that
   * is idle for ten seconds or waits five for a lock. Migrations, before, may take longer.
   */
  boundStatements(): void;
  /** Opens a channel between all who use this database, in this process and others. */
  openChannel(name: string, onMessages: OnMessages): Promise<Channel>;
  close(): Promise<void>;
}

/** A PostgreSQL server, or PGlite (PostgreSQL in this process) in a directory. Both take the same SQL. */
export type Database =
  | (Common & { readonly kind: 'pglite'; readonly lite: PGlite })
  | (Common & {
      readonly kind: 'postgres';
      /** The address for what needs a session of its own, which a pooler in between would not give. */
      readonly directUrl: string;
      /** The error of a start that gets no session there: it names the variable. */
      directUnusable(cause: unknown): StartError;
    });
