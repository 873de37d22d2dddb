import { Socket } from 'node:net';
import { CompiledQuery, type DatabaseConnection, PostgresDriver } from 'kysely';
import type { Pool } from 'pg';
import { TransactionLockDialect } from './migrations.ts';

/**
 * TCP keep-alive options of `pg`, by which a vanished server is noticed after twenty seconds. By default Linux sends
 * its first probe after two hours.
 */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/**
 * A reachable server confirms the end of a connection at once, an unreachable one never. A stop waits this long
 * twice: for the notification connection, and then for the pool.
 */
export const closeMs = 1_000;

/** Statements take milliseconds, and those that clean up some seconds. */
const silentMs = 30_000;

/**
 * A socket for `pg` that breaks when the server is silent in a statement for too long. A statement whose packets
 * vanish would otherwise wait until TCP gives up, after a quarter of an hour. The driver's own limit
 * (`query_timeout`) would return the dead connection to the pool.
 */
export function boundedSocket(isBounded: () => boolean, limitMs = silentMs): Socket {
  const socket = new Socket();
  return socket.setTimeout(limitMs, () => {
    const silence = new Error(`The database server was silent for ${limitMs / 1000} seconds.`);
    if (isBounded()) socket.destroy(Object.assign(silence, { code: 'ETIMEDOUT' }));
  });
}

/**
 * A client that is paused or cut off within a transaction keeps its locks, and others could not append to the same
 * log. So the server ends a transaction that is idle, and one whose client does not read its rows (which does not
 * count as idle). Our transactions wait only for the database, so the limit is that of a lease. Other transactions of
 * that client may wait for the same lock, and each would hold it as long in turn, so they give up earlier.
 */
const limits = `set local idle_in_transaction_session_timeout = '10s'; set local lock_timeout = '5s'; set local tcp_user_timeout = '10s'`;

/** A dialect whose transactions have these limits. The first statement sets them, which PgBouncer permits. */
export function boundedDialect(pool: Pool, isBounded: () => boolean): TransactionLockDialect {
  const createDriver = () => new BoundedDriver(pool, isBounded);
  return Object.assign(new TransactionLockDialect({ pool }), { createDriver });
}

class BoundedDriver extends PostgresDriver {
  readonly #isBounded: () => boolean;

  constructor(pool: Pool, isBounded: () => boolean) {
    super({ pool });
    this.#isBounded = isBounded;
  }

  override beginTransaction(
    ...[connection, settings]: Parameters<PostgresDriver['beginTransaction']>
  ): Promise<void> {
    if (!this.#isBounded()) return super.beginTransaction(connection, settings);
    const executeQuery: DatabaseConnection['executeQuery'] = (begin) =>
      connection.executeQuery(CompiledQuery.raw(`${begin.sql}; ${limits}`));
    return super.beginTransaction({ ...connection, executeQuery }, settings);
  }
}
