import { migrateToLatest } from '@srr-gateway/common/database/migrations';
import { reasonOf, StartError } from '@srr-gateway/common/start-error';
import { type Kysely, sql } from 'kysely';
import * as issuanceAndEvents from './migrations/0001-issuance-and-events.ts';
import * as workInFlight from './migrations/0002-work-in-flight.ts';
import * as housekeeping from './migrations/0003-housekeeping.ts';
import * as eventRetention from './migrations/0004-event-retention.ts';
import * as accessTokens from './migrations/0005-access-tokens.ts';
import * as rateWindows from './migrations/0006-rate-windows.ts';
import * as outcomes from './migrations/0007-outcomes.ts';
import * as filesWaitedFor from './migrations/0008-files-waited-for.ts';
import * as entryInput from './migrations/0010-entry-input.ts';
import * as collectionCreations from './migrations/0011-collection-creations.ts';
import * as dueByIssuer from './migrations/0012-due-by-issuer.ts';
import * as uploadsByTime from './migrations/0013-uploads-by-time.ts';
import * as webhookEndpoints from './migrations/0014-webhook-endpoints.ts';
import * as sealingKeys from './migrations/0015-sealing-keys.ts';
import * as configuredEndpoints from './migrations/0016-configured-endpoints.ts';
import * as collectionEvents from './migrations/0017-collection-events.ts';
import * as entriesByBatch from './migrations/0018-entries-by-batch.ts';
import * as eventsByCollection from './migrations/0019-events-by-collection.ts';

/** In order. Never edit a released migration; correct it in a new one. */
const migrations = {
  '0001-issuance-and-events': issuanceAndEvents,
  '0002-work-in-flight': workInFlight,
  '0003-housekeeping': housekeeping,
  '0004-event-retention': eventRetention,
  '0005-access-tokens': accessTokens,
  '0006-rate-windows': rateWindows,
  '0007-outcomes': outcomes,
  '0008-files-waited-for': filesWaitedFor,
  '0010-entry-input': entryInput,
  '0011-collection-creations': collectionCreations,
  '0012-due-by-issuer': dueByIssuer,
  '0013-uploads-by-time': uploadsByTime,
  '0014-webhook-endpoints': webhookEndpoints,
  '0015-sealing-keys': sealingKeys,
  '0016-configured-endpoints': configuredEndpoints,
  '0017-collection-events': collectionEvents,
  '0018-entries-by-batch': entriesByBatch,
  '0019-events-by-collection': eventsByCollection,
};

type Executor = Pick<Kysely<never>, 'getExecutor'>;

/** Whether the database has all migrations of this code. One restored from a backup may be older. */
export async function isMigrated(db: Executor): Promise<boolean> {
  const names = new Set(await executed(db));
  return Object.keys(migrations).every((name) => names.has(name));
}

async function executed(db: Executor): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from gateway.kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Brings the schema up to date. Several replicas may call it at once: one migrates, the others wait.
 * @throws Error that names the failed migration; StartError when a newer version has migrated the database, when
 * it takes no writes, or when it already has what a migration makes.
 */
export async function migrate(db: Kysely<never>): Promise<void> {
  const provider = { getMigrations: async () => migrations };
  for (let attempt = 1; ; attempt++) {
    const { error, results } = await migrateToLatest(db, { provider, migrationTableSchema: 'gateway' });
    if (!error) return;
    // Kysely first lists the tables of all schemas, which fails while another replica drops the former queue.
    if (isSchemaGone(error) && attempt < maxAttempts) continue;
    // The table is missing when the first migration failed.
    const newer = (await executed(db).catch(() => [])).filter((name) => !(name in migrations));
    const failed = results?.find((result) => result.status === 'Error')?.migrationName;
    throw newer.length > 0
      ? new StartError(
          `DATABASE_URL: a newer version has migrated this database (${newer.join(', ')}). Start that version, or undo its migrations as docs/operate/upgrading.md says.`,
          { cause: error },
        )
      : explain(error, failed);
  }
}

function explain(error: unknown, failed: string | undefined): unknown {
  const state = sqlStateOf(error);
  if (state === '42501')
    return new StartError(
      `DATABASE_URL: ${reasonOf(error)}. Its user must own the schema gateway with its tables, or have the right to create it (grant create on database).`,
      { cause: error },
    );
  if (alreadyThere.has(state))
    return new StartError(
      `DATABASE_URL: migration ${failed} cannot run: ${reasonOf(error)}. Something else has made it in the schema gateway: another program, or an incomplete roll-back or restore. Remove it, or use another database.`,
      { cause: error },
    );
  if (isReadOnly(error)) return explainReadOnly(error);
  return new Error(`The database could not be migrated${failed ? ` (migration ${failed})` : ''}`, {
    cause: error,
  });
}

/** The former queue is dropped only once, so the second attempt cannot fail for the same reason. */
const maxAttempts = 2;

/**
 * SQLSTATEs for a schema or table that disappeared after it was listed. Which one comes depends on timing.
 */
const gone = new Set(['3F000', '42P01', 'XX000']);

/** SQLSTATEs for a table, an index or a column that is there before the migration that makes it. */
const alreadyThere = new Set(['42P07', '42701']);

const isSchemaGone = (error: unknown) => gone.has(sqlStateOf(error));

/** Whether a statement failed because the server is a standby, or its transactions are read-only. */
const isReadOnly = (error: unknown) => sqlStateOf(error) === '25006';

/** Replaces the error of a database that takes no writes by one that says what to do. Returns others unchanged. */
export const explainReadOnly = (error: unknown) =>
  isReadOnly(error)
    ? new StartError(
        `DATABASE_URL: ${reasonOf(error)}. This database takes no writes. Set DATABASE_URL to the primary server instead of a standby, or turn default_transaction_read_only off for its user and database.`,
        { cause: error },
      )
    : error;

const sqlStateOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');
