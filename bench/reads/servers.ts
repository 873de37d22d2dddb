import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { project } from '../../test/_util/gateway-process.ts';
import { type Usage, usageOf } from '../usage.ts';
import { registryAddress } from './data.ts';

/** A server process of the bench. */
export interface Server {
  url: string;
  pid: number | undefined;
  /** Undefined if the system does not report it. */
  usage(): Usage | undefined;
  stop(): Promise<void>;
}

/** The measured process has its own processor; the load and the sources have another. */
export const pinned = availableParallelism() > 1 && hasTaskset();
const processorOf = { measured: 1, load: 0 };

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-p', String(process.pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Moves the calling process to the processor of the sources. */
export function pinLoad(): void {
  if (pinned) execFileSync('taskset', ['-a', '-cp', String(processorOf.load), String(process.pid)]);
}

interface Program {
  script: string;
  on: keyof typeof processorOf;
  env: Record<string, string>;
  nodeArguments?: string[];
}

/** A server that gives any response to this request has started. */
const ready = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"query":"{ __typename }"}',
};

/** A start takes seconds, most of them for the gateway's database. */
const startMs = 60_000;

async function startServer({ script, on, env, nodeArguments = [] }: Program): Promise<Server> {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const command = [process.execPath, ...nodeArguments, script];
  if (pinned) command.unshift('taskset', '-c', String(processorOf[on]));
  const [program = '', ...parameters] = command;
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(program, parameters, {
    cwd: project,
    env: { PATH, HOME, NODE_ENV: 'production', PORT: String(port), ...env },
  });
  // A bench that ends early, by a signal or an error, must leave no process behind.
  const kill = () => child.kill();
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-4_000);
    });
  for (const giveUpAt = Date.now() + startMs; ; await sleep(50)) {
    const answer = await fetch(`${url}/graphql`, ready).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer) return { url, pid: child.pid, usage: () => usageOf(child.pid), stop: () => end(child) };
    if (child.exitCode !== null || Date.now() > giveUpAt) {
      await end(child);
      throw new Error(`${script} did not start:\n${printed}`);
    }
  }
}

/** Time before SIGKILL: none has work in progress, and one of the peers sometimes does not end on SIGTERM. */
const killAfterMs = 10_000;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await ended;
  clearTimeout(timer);
}

export const startSources = () => startServer({ script: 'bench/reads/sources.ts', on: 'load', env: {} });

const upstreams = ({ url }: Server) => ({
  SUBGRAPH_URL: `${url}/subgraph`,
  IPFS_URL: url,
  REGISTRY_ADDRESS: registryAddress,
});

export const startHandwritten = (sources: Server) =>
  startServer({ script: 'bench/reads/handwritten.ts', on: 'measured', env: upstreams(sources) });

export const startPeer = (name: 'mercurius' | 'hive', sources: Server) =>
  startServer({ script: `bench/peers/${name}.ts`, on: 'measured', env: upstreams(sources) });

/** The gateway as `npm start` and the image run it, with its embedded database. */
export async function startGateway(
  sources: Server,
  { env = {}, nodeArguments = [] }: { env?: Record<string, string>; nodeArguments?: string[] } = {},
): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    const server = await startServer({
      script: 'src/main.ts',
      on: 'measured',
      env: {
        ...upstreams(sources),
        DATA_DIR: dataDir,
        COMMERCE_URL: `${sources.url}/commerce`,
        IPFS_GATEWAYS: sources.url,
        LOG_LEVEL: 'warn',
        ...env,
      },
      nodeArguments: ['--max-semi-space-size=16', ...nodeArguments],
    });
    return { ...server, stop: () => server.stop().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}
