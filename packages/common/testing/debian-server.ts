import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from './free-ports.ts';

/** A server from a Debian package, always on the same port of loopback. */
export interface DebianServer {
  port: number;
  /** Its process id; undefined while it is not running. */
  readonly pid: number | undefined;
  /** Starts it and waits until it accepts connections. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/bin'];

/** The path of an installed program; undefined when it is missing. */
const find = (program: string) =>
  folders.map((folder) => join(folder, program)).find((path) => existsSync(path));

/** The suffix for the name of a test that is skipped without this program; empty when it is installed. */
export const missing = (program: string, debianPackage = program): string =>
  find(program) ? '' : ` (skipped: apt-get install -y ${debianPackage})`;

/**
 * Prepares a server without starting it. `asPostgres` runs it as that user, because PostgreSQL refuses root.
 */
export async function debianServer(
  program: string,
  argumentsFor: (port: number) => string[],
  { asPostgres = false } = {},
): Promise<DebianServer> {
  const path = find(program);
  if (!path) throw new Error(`${program} is not installed`);
  const [port] = (await freePorts(1)) as [number];
  const command = [path, ...argumentsFor(port)];
  const other = asPostgres && process.getuid?.() === 0;
  const [file, ...parameters] = other ? ['runuser', '-u', 'postgres', '--', ...command] : command;
  let child: ChildProcess | undefined;
  let printed = '';
  return {
    port,
    get pid() {
      return child?.pid;
    },
    async start() {
      child = spawn(file as string, parameters, { cwd: '/' });
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (text) => {
          printed += text;
        });
      for (const giveUpAt = Date.now() + 10_000; !(await takesConnections(port)); await sleep(20))
        if (child.exitCode !== null || Date.now() > giveUpAt)
          throw new Error(`${program} did not start:\n${printed}`);
    },
    async stop() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
    },
  };
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
