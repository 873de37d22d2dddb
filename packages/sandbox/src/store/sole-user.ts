import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import { StartError } from '@srr-gateway/common/start-error';
import { sleep } from '@srr-gateway/common/time';
import { Client } from 'pg';

/** Any number that nobody else takes by accident. */
const lockId = 7_770_001;

/** A server notices within moments that a killed process's connection is gone. */
const patienceMs = 5_000;

/**
 * Takes the database for this sandbox alone: two of them, each with a chain of its own, would undo each
 * other's rows. Held by a connection of its own, so it ends with the process however that dies.
 * @returns how to release it
 */
export async function becomeSoleUser(database: Database, log: Logger): Promise<() => Promise<void>> {
  // The embedded database is locked with its directory.
  if (database.kind !== 'postgres') return async () => {};
  const client = new Client({ connectionString: database.url, keepAlive: true });
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
