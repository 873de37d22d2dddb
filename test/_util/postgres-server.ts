import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { globSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { Client } from 'pg';

const run = promisify(execFile);

/** How a server ends: telling its clients, or as a crash does, with recovery at the next start. */
export type Shutdown = 'fast' | 'immediate';

/** A throw-away PostgreSQL of Debian's package, on a free port of loopback. */
export interface PostgresServer {
  /** Makes an empty database and gives its address. */
  createDatabase(): Promise<string>;
  restart(shutdown: Shutdown): Promise<void>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

export async function postgresServer(): Promise<PostgresServer> {
  const programs = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1);
  if (!programs)
    throw new Error(
      'These tests start and stop a PostgreSQL of their own. Install it: apt-get install -y postgresql',
    );
  // Beside the run's own temporary directory, into which the user postgres may not look.
  const directory = await mkdtemp('/tmp/postgres-');
  const data = join(directory, 'data');
  const log = join(directory, 'log');
  const [port] = await freePorts(1);
  const asRoot = process.getuid?.() === 0;
  // initdb refuses root.
  if (asRoot) await chown(directory, await idOfPostgres('-u'), await idOfPostgres('-g'));
  const asOwner = async (program: string, ...parameters: string[]) => {
    const command = [join(programs, program), '-D', data, ...parameters];
    const [file, ...rest] = asRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    await run(file as string, rest, { cwd: '/' }).catch(async (cause: unknown) => {
      const said = await readFile(log, 'utf8').catch(() => '');
      throw new Error(`${program} ${parameters.join(' ')} failed:\n${said}`, { cause });
    });
  };
  const options = [
    `-p ${port}`,
    '-c listen_addresses=127.0.0.1',
    `-c unix_socket_directories=${directory}`,
    // A killed server leaves its pages with the system: only a power cut would need the disk's word.
    '-c fsync=off',
  ].join(' ');
  await asOwner('initdb', '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync');
  await asOwner('pg_ctl', '-w', '-l', log, '-o', options, 'start');
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  return {
    createDatabase: async () => {
      const name = `crash_${randomUUID().replaceAll('-', '')}`;
      const client = new Client({ connectionString: urlOf('postgres') });
      await client.connect();
      await client.query(`create database ${name}`).finally(() => client.end());
      return urlOf(name);
    },
    restart: (shutdown) => asOwner('pg_ctl', '-w', '-l', log, '-m', shutdown, 'restart'),
    remove: async () => {
      await asOwner('pg_ctl', '-w', '-m', 'immediate', 'stop');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function idOfPostgres(kind: '-u' | '-g'): Promise<number> {
  const { stdout } = await run('id', [kind, 'postgres']);
  return Number(stdout);
}
