import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@srr-gateway/common/database/database';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import {
  readSettings,
  type Sandbox,
  type SandboxSettings,
  startSandbox,
  type WebhookTarget,
} from '../src/start.ts';

export interface TestSandboxOptions {
  /** Override the fast settings below. */
  settings?: Partial<SandboxSettings>;
  webhooks?: readonly WebhookTarget[];
  /** A database that the caller closes; absent: a new one, dropped at `stop`. */
  database?: Database;
}

export interface TestSandbox {
  /** The running sandbox; another object after `restart`. */
  readonly sandbox: Sandbox;
  readonly dataDir: string;
  /** Stops the sandbox and starts it on the same state and address; `meanwhile` runs in between. */
  restart(meanwhile?: () => Promise<void>, changed?: Partial<SandboxSettings>): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a sandbox for one test file, with free ports, a directory of its own and short delays. */
export async function startTestSandbox(options: TestSandboxOptions = {}): Promise<TestSandbox> {
  const own = options.database ? undefined : await testDatabase();
  const database = options.database ?? own?.database;
  if (!database) throw new Error('testDatabase always gives one');
  const dataDir = await mkdtemp(join(tmpdir(), 'srr-sandbox-'));
  const settings: SandboxSettings = {
    ...readSettings({}),
    port: 0,
    rpcPort: 0,
    hashDelayMs: 0,
    miningIntervalMs: 50,
    indexLagMs: 0,
    webhookBackoffMs: 50,
    fixtures: false,
    ...options.settings,
  };
  const start = (port: number, changed: Partial<SandboxSettings> = {}) =>
    startSandbox({
      settings: { ...settings, ...changed, port },
      database,
      dataDir,
      log: silent,
      ...(options.webhooks && { webhooks: options.webhooks }),
    });
  const discard = async () => {
    await own?.drop();
    await rm(dataDir, { recursive: true, force: true });
  };

  let sandbox = await start(settings.port).catch(async (error: unknown) => {
    await discard();
    throw error;
  });
  return {
    get sandbox() {
      return sandbox;
    },
    dataDir,
    restart: async (meanwhile, changed) => {
      const port = Number(new URL(sandbox.url).port);
      await sandbox.stop();
      await meanwhile?.();
      sandbox = await start(port, changed);
    },
    stop: async () => {
      await sandbox.stop();
      await discard();
    },
  };
}

/** Changes runtime settings of a running sandbox, such as its clock. Throws when it refuses them. */
export async function turnSandbox(sandbox: Pick<Sandbox, 'url'>, settings: object): Promise<void> {
  const response = await fetch(`${sandbox.url}/sandbox/settings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
  if (!response.ok) throw new Error(`the sandbox answered ${response.status}: ${await response.text()}`);
}
