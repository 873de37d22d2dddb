import type { PGlite } from '@electric-sql/pglite';
import type { Dialect } from 'kysely';
import type { Channel, OnMessages } from '../channel.ts';
import type { StartError } from '../start-error.ts';

interface Common {
  readonly dialect: Dialect;
  /**
   * From now on statements fail that the server does not answer within half a minute, and transactions that are idle
   * for ten seconds or wait five for a lock. Call it after the migrations, which may take longer.
   */
  boundStatements(): void;
  /** Opens a channel between all users of this database, in this process and others. */
  openChannel(name: string, onMessages: OnMessages): Promise<Channel>;
  close(): Promise<void>;
}

/** A PostgreSQL server, or PGlite (PostgreSQL in this process) in a directory. Both take the same SQL. */
export type Database =
  | (Common & { readonly kind: 'pglite'; readonly lite: PGlite })
  | (Common & {
      readonly kind: 'postgres';
      /** The address for connections that need a session of their own, which a pooler would not give them. */
      readonly directUrl: string;
      /** The error for a start that gets no session there. It names the variable to change. */
      directUnusable(cause: unknown): StartError;
    });
