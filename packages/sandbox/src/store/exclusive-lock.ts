import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import { StartError } from '@srr-gateway/common/start-error';
import { sleep } from '@srr-gateway/common/time';
import { Client } from 'pg';

/** An arbitrary number for the advisory lock, unlikely to be used by another program. */
const lockId = 7_770_001;

/** After a kill, PostgreSQL takes a moment to notice the closed connection and free its lock. */
const patienceMs = 5_000;

/**
 * Locks the database for this sandbox: two of them, each with its own chain, would undo each other's rows. A
 * dedicated connection holds the lock, so it ends with the process, however that dies. Throws a `StartError`
 * when another sandbox has the lock.
 * @returns a function that releases the lock
 */
export async function takeExclusiveLock(database: Database, log: Logger): Promise<() => Promise<void>> {
  // The embedded database is locked together with its directory.
  if (database.kind !== 'postgres') return async () => {};
  const client = new Client({ connectionString: database.directUrl, keepAlive: true });
  client.on('error', (error) => log.warn({ err: error }, 'the connection that holds the sandbox lock broke'));
  await client.connect();
  for (const deadline = Date.now() + patienceMs; ; await sleep(100)) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      lockId,
    ]);
    if (rows[0]?.taken) return () => client.end();
    if (Date.now() > deadline) break;
  }
  await client.end();
  throw new StartError(
    'DATABASE_URL: another sandbox uses this database, with files and a chain of its own. Stop that one, or' +
      ' give this one another database.',
  );
}
