import { Pool } from 'pg';
import { ReconnectingChannel } from '../channel.ts';
import type { Logger } from '../log.ts';
import { reasonOf, StartError } from '../start-error.ts';
import { withTimeout } from '../time.ts';
import { boundedDialect, boundedSocket, closeMs, keptAlive } from './bounded-connection.ts';
import type { Database } from './database.ts';
import { connectTimeoutMs, openNotifyLink } from './notify-link.ts';

/**
 * Replaces connections: after a failover the name may lead elsewhere, while the old server still answers as a standby.
 */
const maxLifetimeSeconds = 300;
/** Longer than the pause between two sweeps, so that an idle replica keeps the connection that they use. */
const idleTimeoutMs = 5_000;

/** How to reach a PostgreSQL server. */
export interface PostgresOptions {
  url: string;
  /** The address of PostgreSQL itself, when `url` is that of a pooler. */
  directUrl?: string | undefined;
  poolSize: number;
}

/** Opens a pool to a PostgreSQL server. @throws StartError when it does not answer a first query. */
export async function openPostgres(options: PostgresOptions, log: Logger): Promise<Database> {
  const { url, directUrl = url, poolSize } = options;
  let bounded = false;
  const isBounded = () => bounded;
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    maxLifetimeSeconds,
    ...keptAlive,
    stream: () => boundedSocket(isBounded),
    idleTimeoutMillis: idleTimeoutMs,
  });
  // The pool replaces an idle connection that breaks; without a listener the error would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection broke'));
  // The pool does not listen to connections in use, whose error within a transaction would end the process too. With
  // a listener only the next statement fails, and with it the transaction.
  pool.on('connect', (client) => client.on('error', () => {}));
  // Connect now, so that a wrong address or password is one clear line instead of a failed migration.
  try {
    // Throws, and does not reject, for a file of the address (`sslrootcert`) that cannot be read.
    const { rows } = await pool.query(
      `select current_setting('server_encoding') as encoding, ${Object.keys(neededSettings).map((name) => `current_setting('${name}') as "${name}"`)}`,
    );
    checkEncoding(url, rows[0].encoding);
    checkSettings(url, rows[0]);
  } catch (cause) {
    await pool.end();
    throw cause instanceof StartError ? cause : unusable('DATABASE_URL', url, cause);
  }
  const directUnusable = (cause: unknown) =>
    unusable(directUrl === url ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL', directUrl, cause);
  return {
    kind: 'postgres',
    directUrl,
    directUnusable,
    dialect: boundedDialect(pool, isBounded),
    boundStatements: () => {
      bounded = true;
    },
    openChannel: async (channel, onMessages) => {
      const open = () => openNotifyLink({ url: directUrl, pool, channel, log }, onMessages);
      const first = await open().catch((cause: unknown) => {
        throw directUnusable(cause);
      });
      const lost = 'the connection for notifications is lost; work is found by polling until it is back';
      return new ReconnectingChannel({ open, onMessages, log, lost }, first);
    },
    close: async () => {
      if (!pool.ended) await withTimeout(pool.end(), closeMs);
    },
  };
}

function unusable(variable: string, url: string, cause: unknown): StartError {
  return new StartError(
    `${variable}: ${describeDatabase(url)} cannot be used (${reasonOf(cause)}). Check that it is up and not overloaded, and its address, user and password.`,
    { cause },
  );
}

/** In LATIN1, a record with a Japanese title would fail, and each delivery about it. SQL_ASCII keeps bytes. */
function checkEncoding(url: string, encoding: string): void {
  if (['UTF8', 'SQL_ASCII'].includes(encoding)) return;
  throw new StartError(
    `DATABASE_URL: ${describeDatabase(url)} has the encoding ${encoding}, which cannot store every title. Create one with encoding UTF8 (createdb --encoding=UTF8 --template=template0), and restore into it what the old one has.`,
  );
}

/**
 * The driver reads times of the style ISO; others become null, and no work could go on. At other levels of isolation
 * a statement that waits for another one fails instead of seeing its result.
 */
const neededSettings = { DateStyle: 'ISO', default_transaction_isolation: 'read committed' };

function checkSettings(url: string, settings: Record<string, string>): void {
  const wrong = Object.entries(neededSettings).filter(
    ([name, needed]) => !settings[name]?.startsWith(needed),
  );
  if (wrong.length === 0) return;
  const found = wrong.map(([name]) => `${name} "${settings[name]}"`).join(' and ');
  const statements = wrong.map(([name, needed]) => `alter role current_user set ${name} = '${needed}'`);
  throw new StartError(
    `DATABASE_URL: ${describeDatabase(url)} has ${found} for this user. Change that (${statements.join('; ')}).`,
  );
}

/** The database in a message, without user and password. */
function describeDatabase(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `the database ${pathname.slice(1) || '(default)'} at ${hostname || 'the local socket'}${port && `:${port}`}`;
}
