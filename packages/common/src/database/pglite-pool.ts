import type { PGlite, Transaction } from '@electric-sql/pglite';
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';

/**
 * Presents PGlite as a connection pool. Kysely's own PGlite dialect gives all callers the same connection, so
 * one caller's query could run in another's open transaction. Here each client has its own state, and
 * PGlite's transaction lock makes the others wait.
 */
export function pglitePool(lite: PGlite): PostgresPool {
  return {
    options: {},
    connect: async () => new PgliteClient(lite) as unknown as PostgresPoolClient,
    end: async () => {},
  };
}

class PgliteClient {
  readonly #lite: PGlite;
  #transaction: Transaction | undefined;
  #finish: ((outcome: 'commit' | 'rollback') => Promise<void>) | undefined;

  constructor(lite: PGlite) {
    this.#lite = lite;
  }

  async query<R>(sql: string, parameters: readonly unknown[] = []): Promise<PostgresQueryResult<R>> {
    const verb = /^\s*(begin|start transaction|commit|rollback)\s*;?\s*$/i.exec(sql)?.[1]?.toLowerCase();
    if (verb === 'begin' || verb === 'start transaction') await this.#begin();
    else if (verb === 'commit' || verb === 'rollback') await this.#finish?.(verb);
    else {
      const { rows, affectedRows } = await (this.#transaction ?? this.#lite).query<R>(sql, [...parameters]);
      // Kysely reads rowCount only for commands that change rows; PGlite counts affected rows the same way.
      return { command: 'UPDATE', rowCount: affectedRows ?? rows.length, rows };
    }
    return { command: 'UPDATE', rowCount: 0, rows: [] };
  }

  release(): void {}

  /** Keeps PGlite's transaction open until commit or rollback. */
  #begin(): Promise<void> {
    const started = Promise.withResolvers<void>();
    const ending = Promise.withResolvers<'commit' | 'rollback'>();
    const closed = this.#lite.transaction(async (transaction) => {
      this.#transaction = transaction;
      started.resolve();
      if ((await ending.promise) === 'rollback') await transaction.rollback();
    });
    closed.catch(started.reject);
    this.#finish = async (outcome) => {
      this.#finish = undefined;
      ending.resolve(outcome);
      try {
        await closed;
      } finally {
        this.#transaction = undefined;
      }
    };
    return started.promise;
  }
}
