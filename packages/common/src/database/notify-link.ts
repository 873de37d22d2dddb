import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { Client, type Pool } from 'pg';
import { answerTimeoutMs, type Link, type OnMessages } from '../channel.ts';
import type { Logger } from '../log.ts';
import { withTimeout } from '../time.ts';
import { closeMs, keptAlive } from './bounded-connection.ts';

/** Long enough for a busy server, short enough that callers learn in time that the server is down. */
export const connectTimeoutMs = 15_000;
/** How long the first notification may take, even on a busy server. */
const probeMs = 5_000;

/** Where a link connects, and which channel it carries. */
export interface NotifyOptions {
  /** Must lead to one session for as long as the connection lasts. */
  url: string;
  /** Other connections to the same database. */
  pool: Pool;
  channel: string;
  log: Logger;
}

/** Opens a connection that listens to a NOTIFY channel and sends to it. */
export async function openNotifyLink(options: NotifyOptions, onMessages: OnMessages): Promise<Link> {
  const { url, channel } = options;
  const socket = new Socket();
  const client = new Client({
    connectionString: url,
    ...keptAlive,
    stream: () => socket,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
  });
  const ended = Promise.withResolvers<unknown>();
  const probeSettled = Promise.withResolvers<void>();
  let fault: unknown;
  client.on('error', (error) => {
    fault = error;
  });
  client.once('end', () => {
    ended.resolve(fault);
    probeSettled.resolve();
  });
  const probe = `probe ${randomUUID()}`;
  let pid: number | undefined;
  client.on('notification', ({ payload = '', processId }) => {
    if (payload === probe) probeSettled.resolve();
    else if (processId !== pid) onMessages([payload]);
  });
  try {
    await client.connect();
    await client.query(`LISTEN "${channel}"`);
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    pid = rows[0]?.pid;
  } catch (error) {
    await client.end();
    throw error;
  }
  void warnWithoutNotifications(options, probe, probeSettled.promise);
  return {
    // One transaction, with a message for each text, as replicas of earlier releases expect.
    send: async (messages) => {
      await client.query('select pg_notify($1, message) from unnest($2::text[]) as message', [
        channel,
        messages,
      ]);
    },
    ended: ended.promise,
    close: async () => {
      await withTimeout(client.end(), closeMs);
      socket.destroy();
    },
  };
}

/** Through PgBouncer in transaction mode LISTEN succeeds, but nothing arrives: only a test message can tell. */
async function warnWithoutNotifications(
  { pool, channel, log }: NotifyOptions,
  probe: string,
  probeSettled: Promise<void>,
): Promise<void> {
  const sent = await pool.query('select pg_notify($1, $2)', [channel, probe]).catch(() => undefined);
  if (
    !sent ||
    (await withTimeout(
      probeSettled.then(() => true),
      probeMs,
    ))
  )
    return;
  log.warn(
    'DATABASE_URL: notifications of PostgreSQL do not arrive, so work and events are found by polling. Behind' +
      ' PgBouncer in transaction mode, set DATABASE_DIRECT_URL to the address of PostgreSQL itself, or set SIGNALS_URL.',
  );
}
