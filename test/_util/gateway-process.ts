import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabase } from '@srr-gateway/common/testing/database';
import { freePorts } from '@srr-gateway/common/testing/free-ports';

export const project = join(import.meta.dirname, '../..');

export interface GatewayProcessOptions {
  /** Variables that override those of its ports and directory; an empty one counts as absent. */
  env?: Record<string, string>;
  /** Runs `npm start` itself, with npm as the parent process of the gateway. */
  npm?: boolean;
  /** A command that ends in exec of node, such as one that limits it. */
  wrapper?: string[];
  /** Arguments of node, before the program. */
  nodeArguments?: string[];
}

/** The gateway as `npm start` runs it, with its sandbox, on free ports and in a directory of its own. */
export interface GatewayProcess {
  url: string;
  sandboxUrl: string;
  rpcUrl: string;
  dataDir: string;
  /** The address of its database, if it is on a server. */
  databaseUrl: string | undefined;
  /** The output of the current process. */
  output(): string;
  /** Launches it without waiting. */
  launch(): void;
  /** Starts it and waits until it is ready. */
  start(): Promise<void>;
  /** The id of the process that was started last. */
  pid(): number | undefined;
  /** Whether a process was started and has not ended. */
  running(): boolean;
  /** Whether the last process ended by itself and not by a signal. */
  exited(): boolean;
  /** Sends a signal to the process that was started, without waiting. */
  signal(signal: NodeJS.Signals): void;
  /**
   * Sends a signal and waits for the end: to the process that was started, or to its whole group, as a
   * terminal's Ctrl-C does. Returns its exit code, null when the signal ended it.
   */
  stop(signal: NodeJS.Signals, whom?: 'process' | 'group'): Promise<number | null>;
  /** Stops it with SIGTERM, so that its chain ends too, and removes its state. */
  remove(): Promise<void>;
}

export async function gatewayProcess(options: GatewayProcessOptions = {}): Promise<GatewayProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-'));
  const [port, sandboxPort, rpcPort] = await freePorts(3);
  const given = options.env?.DATABASE_URL;
  const server = process.env.TEST_DATABASE_URL && !given ? await testDatabase() : undefined;
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_RPC_PORT: String(rpcPort),
    DATA_DIR: dataDir,
    // Tests count only the records that they issue themselves.
    SANDBOX_FIXTURES: 'off',
    ...(server?.url && { DATABASE_URL: server.url, SECRETS_KEY: randomBytes(32).toString('base64') }),
    ...options.env,
  };
  const url = `http://127.0.0.1:${env.PORT}`;
  let child: ChildProcess | undefined;
  let printed = '';

  const launch = () => {
    printed = '';
    const [command = '', ...parameters] = options.npm
      ? ['npm', 'start']
      : [...(options.wrapper ?? []), process.execPath, ...(options.nodeArguments ?? []), 'src/main.ts'];
    // A process group of its own, as in a terminal.
    child = spawn(command, parameters, { cwd: project, env, detached: true });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
  };
  const ended = () => !child || child.exitCode !== null || child.signalCode !== null;
  const stop: GatewayProcess['stop'] = async (signal, whom = 'process') => {
    if (!child?.pid || ended()) return child?.exitCode ?? null;
    const closed = once(child, 'close');
    process.kill(whom === 'group' ? -child.pid : child.pid, signal);
    const [code] = await closed;
    return code as number | null;
  };
  const start = async () => {
    launch();
    // Starting takes seconds; a minute covers a machine that is busy with other tests.
    for (const giveUpAt = Date.now() + 60_000; ; await sleep(50)) {
      const ready = await fetch(`${url}/health/ready`).catch(() => undefined);
      if (ready?.ok) return;
      if (ended()) throw new Error(`The gateway ended at its start:\n${printed}`);
      if (Date.now() > giveUpAt) throw new Error(`The gateway did not become ready:\n${printed}`);
    }
  };
  return {
    url,
    sandboxUrl: `http://127.0.0.1:${sandboxPort}`,
    rpcUrl: `http://127.0.0.1:${rpcPort}`,
    dataDir,
    databaseUrl: given ?? server?.url,
    output: () => printed,
    launch,
    start,
    pid: () => child?.pid,
    running: () => !ended(),
    exited: () => typeof child?.exitCode === 'number',
    signal: (signal) => void child?.kill(signal),
    stop,
    async remove() {
      // A killed gateway leaves its chain running, which only another start of the gateway can end.
      if (ended() && existsSync(join(dataDir, 'sandbox/chain/anvil.json'))) await start().catch(() => {});
      await stop('SIGINT', 'group');
      await server?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
