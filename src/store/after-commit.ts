import type { DatabaseConnection, Dialect, Driver, Kysely } from 'kysely';

/** The texts that were noted on a connection since it was taken from the pool. */
const textsByConnection = new WeakMap<DatabaseConnection, Set<string>>();

/** Keeps `text` until the transaction of `db` has committed. A rollback drops it. */
export async function noteForCommit(db: Pick<Kysely<never>, 'getExecutor'>, text: string): Promise<void> {
  await db.getExecutor().provideConnection(async (connection) => {
    const texts = textsByConnection.get(connection) ?? new Set();
    textsByConnection.set(connection, texts.add(text));
  });
}

/** The dialect with a hook: a commit calls `onCommit` with the texts that `noteForCommit` has kept. */
export function withCommitHook(dialect: Dialect, onCommit: (texts: ReadonlySet<string>) => void): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => withHook(dialect.createDriver(), onCommit),
  };
}

function withHook(driver: Driver, onCommit: (texts: ReadonlySet<string>) => void): Driver {
  const rollback = driver.rollbackTransaction.bind(driver);
  const release = driver.releaseConnection.bind(driver);
  return Object.assign(driver, {
    rollbackTransaction: (connection: DatabaseConnection) => {
      textsByConnection.delete(connection);
      return rollback(connection);
    },
    // A connection is released once its transaction has ended, or after a single statement.
    releaseConnection: async (connection: DatabaseConnection) => {
      const texts = textsByConnection.get(connection);
      textsByConnection.delete(connection);
      await release(connection);
      if (texts) onCommit(texts);
    },
  } satisfies Partial<Driver>);
}
