import type { PGlite } from '@electric-sql/pglite';
import type { Dialect } from 'kysely';
import type { Channel, OnMessages } from '../channel.ts';
import type { StartError } from '../start-error.ts';

interface Common {
  readonly dialect: Dialect;
  /**
   * From now on a statement fails after half a minute without an answer, and a transaction after ten idle seconds or
   * five of waiting for a lock. Earlier migrations may take longer.
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
      /** The address for connections that need a session of their own, which a pooler would not give. */
      readonly directUrl: string;
      /** The error when no session can be opened there, which names the variable. */
      directUnusable(cause: unknown): StartError;
    });
