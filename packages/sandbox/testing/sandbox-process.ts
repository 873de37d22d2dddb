import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import type { SandboxInfo } from '../src/start.ts';

const program = join(import.meta.dirname, '../src/main.ts');

/** The sandbox in a process of its own, as `npm run sandbox` starts it. */
export interface SandboxProcess {
  /** The answer of `GET /sandbox` from the process that was started last. */
  readonly info: SandboxInfo;
  readonly dataDir: string;
  /**
   * Starts it again on the same directory and port, and waits until
   * it answers. Throws when it does not start.
   */
  start(): Promise<void>;
  /** Sends a signal and waits for the exit; returns the exit code, null when the signal ended the process. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  /** Stops it with SIGTERM, so that its chain ends too, and removes its state. */
  remove(): Promise<void>;
}

/** Starts a sandbox process on a free port and an empty directory; `env` adds to its settings. */
export async function sandboxProcess(env: Record<string, string> = {}): Promise<SandboxProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sandbox-'));
  const [port] = await freePorts(1);
  let child: ChildProcess | undefined;
  let info: SandboxInfo | undefined;
  const ended = () => !child || child.exitCode !== null || child.signalCode !== null;
  const launch = () => {
    child = spawn(process.execPath, [program], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        DATA_DIR: dataDir,
        LOG_LEVEL: 'error',
        SANDBOX_PORT: String(port),
        SANDBOX_RPC_PORT: '0',
        ...env,
      },
    });
  };
  const start = async () => {
    launch();
    // A start takes seconds; a minute is enough on a machine that is busy with other tests.
    for (const giveUpAt = Date.now() + 60_000; ; await sleep(50)) {
      const response = await fetch(`http://127.0.0.1:${port}/sandbox`).catch(() => undefined);
      if (response?.ok) {
        info = (await response.json()) as SandboxInfo;
        return;
      }
      if (ended() || Date.now() > giveUpAt) throw new Error('The sandbox did not start.');
    }
  };
  const stop: SandboxProcess['stop'] = async (signal) => {
    if (child && !ended()) {
      child.kill(signal);
      await once(child, 'exit');
    }
    return child?.exitCode ?? null;
  };
  const remove = async () => {
    // A killed sandbox left its chain running: start it once more, so that it ends its chain.
    if (ended() && existsSync(join(dataDir, 'chain/anvil.json'))) await start().catch(() => {});
    await stop('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  };
  await start().catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return {
    get info() {
      if (!info) throw new Error('a sandbox that was started has told its addresses');
      return info;
    },
    dataDir,
    start,
    stop,
    remove,
  };
}
