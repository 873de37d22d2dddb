import { Client, Pool } from 'pg';
import type { Logger } from '../log.ts';
import { reasonOf, StartError } from '../start-error.ts';
import { backoff, sleep, withTimeout } from '../time.ts';
import { boundedDialect, boundedSocket, keptAlive } from './bounded-connection.ts';
import type { Database, OnNotify } from './database.ts';

/** Long enough for a busy server, short enough that callers learn in time that the server is down. */
const connectTimeoutMs = 15_000;
/** A server that answers confirms the end of a connection at once; one that is cut off never does. */
const closeMs = 2_000;
/** After a failover a name or a proxy may lead elsewhere, while the former server still answers, as a standby. */
const maxLifetimeSeconds = 300;

/** Opens a pool to a PostgreSQL server. @throws StartError when it does not answer a first query. */
export async function openPostgres(url: string, poolSize: number, log: Logger): Promise<Database> {
  let bounded = false;
  const isBounded = () => bounded;
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    maxLifetimeSeconds,
    ...keptAlive,
    stream: () => boundedSocket(isBounded),
  });
  // The pool replaces an idle connection that breaks; without a listener the error would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection broke'));
  // The pool does not listen to connections in use: one that breaks within a transaction would end the
  // process too. With a listener only the next statement fails, and with it the transaction.
  pool.on('connect', (client) => client.on('error', () => {}));
  // Connect now: here a wrong address or password is one clear line, later a failed migration.
  await pool.query('select 1').catch(async (cause: unknown) => {
    await pool.end();
    throw new StartError(
      `DATABASE_URL: ${placeOf(url)} cannot be used (${reasonOf(cause)}). Check the address, the user and the password.`,
      { cause },
    );
  });
  const listener = new Listener(url, log);
  return {
    kind: 'postgres',
    url,
    dialect: boundedDialect(pool, isBounded),
    boundStatements: () => {
      bounded = true;
    },
    listen: (channel, onNotify) => listener.add(channel, onNotify),
    close: async () => {
      await withTimeout(Promise.all([listener.close(), pool.ended || pool.end()]), closeMs);
    },
  };
}

/** The address without user and password, for messages. */
function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `the database ${pathname.slice(1) || '(default)'} at ${hostname || 'the local socket'}${port && `:${port}`}`;
}

/**
 * One LISTEN connection for all channels. It opens at the first use, and reopens after a break until `close`.
 */
class Listener {
  readonly #url: string;
  readonly #log: Logger;
  readonly #handlers = new Map<string, Set<OnNotify>>();
  readonly #closing = new AbortController();
  #client: Client | undefined;
  #connecting: Promise<void> | undefined;

  constructor(url: string, log: Logger) {
    this.#url = url;
    this.#log = log;
  }

  async add(channel: string, onNotify: OnNotify): Promise<() => Promise<void>> {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers.add(onNotify));
    this.#connecting ??= this.#client ? undefined : this.#connect();
    if (this.#client) await this.#client.query(`LISTEN "${channel}"`);
    else await this.#connecting;
    return async () => {
      handlers.delete(onNotify);
    };
  }

  async #connect(): Promise<void> {
    const client = new Client({
      connectionString: this.#url,
      ...keptAlive,
      connectionTimeoutMillis: connectTimeoutMs,
    });
    client.on('notification', ({ channel, payload }) => {
      for (const handler of this.#handlers.get(channel) ?? []) handler(payload);
    });
    client.on('error', (error) => this.#log.warn({ err: error }, 'the notification connection broke'));
    client.once('end', () => void this.#reconnect(client));
    await client.connect();
    for (const channel of this.#handlers.keys()) await client.query(`LISTEN "${channel}"`);
    this.#client = client;
    this.#connecting = undefined;
  }

  async #reconnect(lost: Client): Promise<void> {
    if (this.#client !== lost || this.#closing.signal.aborted) return;
    this.#client = undefined;
    for (let attempt = 0; !this.#closing.signal.aborted; attempt++) {
      // A server restart takes a second or two: try soon, then at most every 5 s.
      await sleep(backoff(attempt, { firstMs: 100, maxMs: 5_000 }), this.#closing.signal).catch(() => {});
      if (this.#closing.signal.aborted) return;
      try {
        await this.#connect();
        for (const handlers of this.#handlers.values()) for (const handler of handlers) handler();
        return;
      } catch (error) {
        this.#log.warn({ err: error, attempt }, 'the notification connection could not be reopened');
      }
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client?.end();
  }
}
