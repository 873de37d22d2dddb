import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxInfo } from '../../src/sandbox/start.ts';
import { freePorts, project } from './gateway-process.ts';

/** The sandbox alone, as `npm run sandbox` starts it: a service that lives in another process. */
export interface SandboxProcess {
  info: SandboxInfo;
  remove(): Promise<void>;
}

export async function sandboxProcess(env: Record<string, string> = {}): Promise<SandboxProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sandbox-'));
  const [port] = await freePorts(1);
  const child = spawn(process.execPath, ['src/sandbox/main.ts'], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'error',
      SANDBOX_PORT: String(port),
      SANDBOX_RPC_PORT: '0',
      ...env,
    },
  });
  const remove = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(dataDir, { recursive: true, force: true });
  };
  for (const giveUpAt = Date.now() + 60_000; ; await sleep(50)) {
    const response = await fetch(`http://127.0.0.1:${port}/sandbox`).catch(() => undefined);
    if (response?.ok) return { info: (await response.json()) as SandboxInfo, remove };
    if (child.exitCode === null && Date.now() < giveUpAt) continue;
    await remove();
    throw new Error('The sandbox did not start.');
  }
}
