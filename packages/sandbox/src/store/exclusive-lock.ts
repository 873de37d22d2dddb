import { closeMs, keptAlive } from '@srr-gateway/common/database/bounded-connection';
import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import { StartError } from '@srr-gateway/common/start-error';
import { sleep, withTimeout } from '@srr-gateway/common/time';
import { Client } from 'pg';

/** An arbitrary number for the advisory lock, unlikely to be used by another program. */
const lockId = 7_770_001;

/** After a kill, PostgreSQL takes a moment to notice the closed connection and free its lock. */
const patienceMs = 5_000;

/** Short, because another sandbox could take the lock before this one has reconnected to a restarted PostgreSQL. */
const retryMs = 200;

/** The server's counterpart of `keptAlive`: when the network is cut, it frees the lock when we notice the cut. */
const freedSoon =
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 10';

/** The connection that holds the lock. */
interface Holder {
  client: Client;
  ended: Promise<void>;
}

/**
 * Locks the database for this sandbox: two of them, each with its own chain, would undo each other's rows. A
 * dedicated connection holds the lock, so it ends with the process, however that dies. When PostgreSQL restarts,
 * the lock is gone too, and is taken again; `onLost` is called when another sandbox was faster. Throws a
 * `StartError` when another sandbox has the lock already.
 * @returns a function that releases the lock
 */
export async function takeExclusiveLock(
  database: Database,
  log: Logger,
  onLost: (error: StartError) => void,
): Promise<() => Promise<void>> {
  // The embedded database is locked together with its directory.
  if (database.kind !== 'postgres') return async () => {};
  const { directUrl } = database;
  const releasing = new AbortController();
  const outage = new OutageLog(log, 'the connection that holds the sandbox lock broke; taking it again');
  let holder = await takeLock(directUrl).catch((cause: unknown) => {
    throw cause instanceof StartError ? cause : database.directUnusable(cause);
  });
  void keep();
  return async () => {
    releasing.abort();
    await withTimeout(holder.client.end(), closeMs);
  };

  async function keep(): Promise<void> {
    await holder.ended;
    while (!releasing.signal.aborted)
      try {
        holder = await takeLock(directUrl);
        outage.succeeded();
        if (releasing.signal.aborted) await holder.client.end();
        await holder.ended;
      } catch (error) {
        if (error instanceof StartError) return onLost(error);
        outage.failed(error);
        await sleep(retryMs, releasing.signal).catch(() => {});
      }
  }
}

async function takeLock(url: string): Promise<Holder> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    ...keptAlive,
  });
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
  // A broken connection ends as well; without a listener its error would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(freedSoon);
    for (const deadline = Date.now() + patienceMs; ; await sleep(100)) {
      const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
        lockId,
      ]);
      if (rows[0]?.taken) return { client, ended };
      if (Date.now() > deadline) break;
    }
  } catch (error) {
    await withTimeout(client.end(), closeMs);
    throw error;
  }
  await client.end();
  throw new StartError(
    'DATABASE_URL: another sandbox uses this database, with files and a chain of its own. Stop that one, or' +
      ' give this one another database.',
  );
}
