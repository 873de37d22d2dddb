import { type Kysely, PostgresAdapter, PostgresDialect, sql, type Transaction } from 'kysely';
import { type MigrationProvider, type MigrationResultSet, Migrator } from 'kysely/migration';

/** Kysely's own number, so that a replica of a release that locks for the session excludes this one too. */
const lockId = '3853314791062309107';

const lock = (db: Kysely<never>) => sql`select pg_advisory_xact_lock(${sql.lit(lockId)}::int8)`.execute(db);

/**
 * Kysely locks migrations for the session. Behind PgBouncer in transaction mode that lock would stay in its pool, and
 * the next start would wait for it. This lock ends with the transaction.
 */
export class TransactionLockDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new TransactionLockAdapter();
  }
}

class TransactionLockAdapter extends PostgresAdapter {
  override async acquireMigrationLock(db: Kysely<never>): Promise<void> {
    await lock(db);
  }

  override async releaseMigrationLock(): Promise<void> {}
}

/**
 * Brings a schema up to date in one transaction. Several processes may do it at once: one migrates, the others
 * wait. When a migration fails, nothing is changed.
 */
export async function migrateToLatest(
  db: Kysely<never>,
  options: { provider: MigrationProvider; migrationTableSchema: string; allowUnorderedMigrations?: boolean },
): Promise<MigrationResultSet> {
  let failed: MigrationResultSet | undefined;
  const migrate = async (trx: Transaction<never>) => {
    // Before Kysely's own lock, which does not cover its own tables.
    await lock(trx);
    await reachSchema(trx, options.migrationTableSchema);
    const result = await new Migrator({ db: trx, ...options }).migrateToLatest();
    if (!result.error) return result;
    failed = result;
    throw result.error;
  };
  return db
    .transaction()
    .execute(migrate)
    .catch((error: unknown) => failed ?? { error });
}

/**
 * Creates the schema before Kysely does, or reaches into it. When Kysely fails in either, it looks for the schema or
 * the table in the failed transaction, and this second error hides the first, such as a missing right. `if not
 * exists` needs the right to create even for a schema that exists.
 */
const reachSchema = (trx: Transaction<never>, name: string) =>
  sql`do $$ begin
    if to_regnamespace(${sql.lit(name)}) is null then create schema ${sql.id(name)};
    else perform to_regclass(${sql.lit(`${name}.kysely_migration`)});
    end if;
  end $$`.execute(trx);
