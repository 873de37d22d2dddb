import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabase } from './database.ts';

export const project = join(import.meta.dirname, '../..');

/** The gateway as people run it: `npm start`, with its sandbox, on free ports and in a directory of its own. */
export interface GatewayProcess {
  url: string;
  sandboxUrl: string;
  /** What the present process has printed. */
  output(): string;
  /** Starts it and waits until it is ready. */
  start(): Promise<void>;
  /** Sends a signal to the gateway and waits for its end. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Stops it politely, so that its chain ends too, and removes its state. */
  remove(): Promise<void>;
}

export async function gatewayProcess(): Promise<GatewayProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-'));
  const [port, sandboxPort, rpcPort] = await freePorts(3);
  const server = process.env.TEST_DATABASE_URL ? await testDatabase() : undefined;
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_RPC_PORT: String(rpcPort),
    DATA_DIR: dataDir,
    ...(server?.url && { DATABASE_URL: server.url, SECRETS_KEY: randomBytes(32).toString('base64') }),
  };
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let printed = '';

  const stop = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const start = async () => {
    printed = '';
    child = spawn(process.execPath, ['src/main.ts'], { cwd: project, env });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    // Starting takes seconds; a minute covers a machine that is busy with other tests.
    for (const giveUpAt = Date.now() + 60_000; ; await sleep(100)) {
      const ready = await fetch(`${url}/health/ready`).catch(() => undefined);
      if (ready?.ok) return;
      if (child.exitCode !== null) throw new Error(`The gateway ended at its start:\n${printed}`);
      if (Date.now() > giveUpAt) throw new Error(`The gateway did not become ready:\n${printed}`);
    }
  };
  return {
    url,
    sandboxUrl: `http://127.0.0.1:${sandboxPort}`,
    output: () => printed,
    start,
    stop,
    async remove() {
      await stop('SIGTERM');
      await server?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Ports that were free a moment ago, all different: a process that is started again must find its own. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}
