import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { globSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { Client } from 'pg';

const run = promisify(execFile);

/** How a server stops: it ends its sessions, or aborts as in a crash, with recovery at the next start. */
export type Shutdown = 'fast' | 'immediate';

/** A temporary PostgreSQL of Debian's package, on a free port of loopback. */
export interface PostgresServer {
  /** Creates an empty database, and returns its address. */
  createDatabase(): Promise<string>;
  restart(shutdown: Shutdown): Promise<void>;
  /** Stops it, and removes its data. */
  remove(): Promise<void>;
}

export async function postgresServer(): Promise<PostgresServer> {
  const home = await postgresHome();
  const [port] = await freePorts(1);
  const data = join(home.directory, 'data');
  await home.initialise(data);
  await home.start(data, port as number);
  return {
    createDatabase: () => createDatabase(port as number),
    restart: (shutdown) => home.control(data, '-m', shutdown, 'restart'),
    remove: async () => {
      await home.control(data, '-m', 'immediate', 'stop');
      await home.remove();
    },
  };
}

/** A directory for the servers of the user postgres. */
export interface PostgresHome {
  directory: string;
  run(program: string, ...parameters: string[]): Promise<void>;
  /** Creates an empty cluster. */
  initialise(data: string): Promise<void>;
  start(data: string, port: number, ...options: string[]): Promise<void>;
  /** Runs `pg_ctl`. */
  control(data: string, ...parameters: string[]): Promise<void>;
  /** Removes the directory; the servers must have stopped. */
  remove(): Promise<void>;
}

export async function postgresHome(): Promise<PostgresHome> {
  const programs = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1);
  if (!programs)
    throw new Error(
      'These tests start and stop a PostgreSQL of their own. Install it: apt-get install -y postgresql',
    );
  // It is not in the temporary directory of the run, which the user postgres cannot read.
  const directory = await mkdtemp('/tmp/postgres-');
  const asRoot = process.getuid?.() === 0;
  // initdb refuses to run as root.
  if (asRoot) await chown(directory, await idOfPostgres('-u'), await idOfPostgres('-g'));
  const runProgram = async (program: string, ...parameters: string[]) => {
    const command = [join(programs, program), ...parameters];
    const [file, ...rest] = asRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    await run(file as string, rest, { cwd: '/' });
  };
  const control = async (data: string, ...parameters: string[]) => {
    const log = `${data}.log`;
    await runProgram('pg_ctl', '-D', data, '-w', '-l', log, ...parameters).catch(async (cause: unknown) => {
      const output = await readFile(log, 'utf8').catch(() => '');
      throw new Error(`pg_ctl ${parameters.join(' ')} failed:\n${output}`, { cause });
    });
  };
  return {
    directory,
    run: runProgram,
    initialise: (data) =>
      runProgram(
        ...[
          'initdb',
          '-D',
          data,
          '-U',
          'postgres',
          '--auth=trust',
          '-E',
          'UTF8',
          '--locale=C.UTF-8',
          '--no-sync',
        ],
      ),
    start: (data, port, ...options) => {
      const all = [
        `-p ${port}`,
        '-c listen_addresses=127.0.0.1',
        `-c unix_socket_directories=${directory}`,
        // The pages of a killed server stay in the page cache of the system, so no test needs fsync.
        '-c fsync=off',
        ...options,
      ];
      return control(data, '-o', all.join(' '), 'start');
    },
    control,
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

export const addressOf = (port: number, database: string) =>
  `postgres://postgres@127.0.0.1:${port}/${database}`;

/** Creates an empty database on the server at this port, and returns its address. */
export async function createDatabase(port: number): Promise<string> {
  const name = `crash_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: addressOf(port, 'postgres') });
  await client.connect();
  await client.query(`create database ${name}`).finally(() => client.end());
  return addressOf(port, name);
}

async function idOfPostgres(kind: '-u' | '-g'): Promise<number> {
  const { stdout } = await run('id', [kind, 'postgres']);
  return Number(stdout);
}
