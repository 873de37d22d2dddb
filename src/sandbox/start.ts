import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Kysely } from 'kysely';
import type { Database } from '../lib/database/database.ts';
import { lockDirectory } from '../lib/database/directory-lock.ts';
import type { Logger } from '../lib/log.ts';
import { startChain } from './chain/chain.ts';
import { tokenId } from './chain/token-id.ts';
import { Clock } from './clock.ts';
import { Issuing } from './commerce/issue/issuing.ts';
import { commerceRoutes } from './commerce/routes.ts';
import { Faults } from './control/faults.ts';
import { controlRoutes, type RuntimeSettings } from './control/routes.ts';
import { createServer } from './http/server.ts';
import { type SandboxInfo, sandboxInfo } from './info.ts';
import { Content } from './ipfs/content.ts';
import { ipfsRoutes } from './ipfs/gateway.ts';
import { Directory } from './licensing/directory.ts';
import { startCollectionMaker } from './minting/collection-maker.ts';
import { startMinter } from './minting/minter.ts';
import { mineLostAgain } from './minting/recover.ts';
import { Settler } from './minting/settler.ts';
import type { SandboxSettings } from './settings.ts';
import { startHasher } from './storage/hasher.ts';
import { storageRoutes } from './storage/routes.ts';
import { Signatures } from './storage/signature.ts';
import { Storage } from './storage/storage.ts';
import { migrate } from './store/migrate.ts';
import { persistentSecret } from './store/secret.ts';
import type { Db, Tables } from './store/tables.ts';
import { startWebhookSender } from './webhooks/sender.ts';
import { type WebhookTarget, WebhookTargets } from './webhooks/targets.ts';
import type { Workers } from './workers.ts';
import { settleWorld } from './world.ts';

export type { SandboxInfo } from './info.ts';
export { readSettings, type SandboxSettings, SettingsError } from './settings.ts';
export type { WebhookTarget } from './webhooks/targets.ts';

export interface SandboxOptions {
  settings: SandboxSettings;
  /** Stays open: whoever opened it closes it, after `stop`. The sandbox keeps to schema `sandbox`. */
  database: Database;
  /** Uploaded bytes, published blocks and the chain's state. One sandbox at a time. */
  dataDir: string;
  /** Over the settings' target, for those issuers that they name. */
  webhooks?: readonly WebhookTarget[];
  log: Logger;
}

export interface Sandbox {
  /** Origin of every surface but JSON-RPC. */
  readonly url: string;
  readonly rpcUrl: string;
  /** What `GET /sandbox` answers. */
  readonly info: SandboxInfo;
  /** Sends deliveries there from now on, also those that waited for a target. */
  setWebhook(target: WebhookTarget): void;
  /** Ends everything that was started; what was under way is carried on by the next start. */
  stop(): Promise<void>;
}

/** Starts every part, on the state that an earlier run left. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const running = new AsyncDisposableStack();
  try {
    return await compose(options, running);
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}

/** Parts are stopped in the reverse order of their `defer`s. */
async function compose(options: SandboxOptions, running: AsyncDisposableStack): Promise<Sandbox> {
  const { settings, dataDir, log } = options;
  running.defer(lockDirectory(join(dataDir, 'sandbox-lock')));
  const chainStarting = startChain({
    stateDir: join(dataDir, 'chain'),
    port: settings.rpcPort,
    miningIntervalMs: settings.miningIntervalMs,
    log,
  });
  running.defer(async () => (await chainStarting.catch(() => undefined))?.stop());
  const db = await openTables(options.database);
  const [chain, storage, content, signingKey] = await Promise.all([
    chainStarting,
    Storage.open(db, join(dataDir, 'storage')),
    Content.open(db, join(dataDir, 'ipfs')),
    persistentSecret(db, 'signed-urls'),
  ]);
  await mineLostAgain(db, Number(await chain.client.getBlockNumber({ cacheTime: 0 })));
  const directory = new Directory(db, settings);
  const world = await settleWorld(chain, directory);

  const clock = new Clock();
  const faults = new Faults();
  const targets = new WebhookTargets();
  for (const target of [...(settings.webhook ? [settings.webhook] : []), ...(options.webhooks ?? [])])
    targets.set(target);
  const { hashDelayMs, miningIntervalMs, indexLagMs } = settings;
  const runtime: RuntimeSettings = { hashDelayMs, miningIntervalMs, indexLagMs, webhooksPaused: false };

  let origin = '';
  const workers: Partial<Record<'hasher' | 'minter' | 'collections' | 'webhooks', Workers>> = {};
  const issuing = new Issuing({
    db,
    directory,
    storage,
    content,
    tokenId,
    origin: () => origin,
    rules: () => ({
      schemaBases: [origin, `https://api.${settings.vendor.path}.io`],
      vendorPrefix: settings.vendor.prefix,
    }),
    onAccepted: () => workers.minter?.wake(),
  });
  await issuing.recover();

  const server = createServer(log);
  const signatures = new Signatures(signingKey);
  await server.register(commerceRoutes, {
    directory,
    storage,
    signatures,
    clock,
    issuing,
    faults,
    origin: () => origin,
    missingFiles: settings.missingFiles,
    collections: {
      db,
      predictCollection: (salt) => chain.predictCollection(salt),
      onAccepted: () => workers.collections?.wake(),
    },
  });
  await server.register(storageRoutes, {
    storage,
    signatures,
    clock,
    log,
    fileLimitBytes: settings.fileLimitBytes,
    onStored: () => workers.hasher?.wake(),
  });
  await server.register(ipfsRoutes, { content });
  await server.register(controlRoutes, {
    db,
    directory,
    runtime,
    clock,
    targets,
    faults,
    info: () => sandboxInfo(origin, chain, world, settings.vendor),
    onChange: () => {
      chain.setMiningInterval(runtime.miningIntervalMs);
      for (const worker of Object.values(workers)) worker.wake();
    },
  });
  running.defer(() => closeServer(server));
  const listening = await server.listen({ host: settings.host, port: settings.port });
  origin = settings.publicUrl ?? listening;

  const wakeSender = () => workers.webhooks?.wake();
  const settler = new Settler({ db, origin: () => origin, onDeliveries: wakeSender });
  workers.webhooks = startWebhookSender({
    db,
    targets,
    faults,
    clock,
    log,
    settings,
    paused: () => runtime.webhooksPaused,
  });
  workers.hasher = startHasher({
    db,
    storage,
    clock,
    log,
    hashLimitBytes: settings.hashLimitBytes,
    delayMs: () => runtime.hashDelayMs,
  });
  workers.collections = startCollectionMaker({ db, chain, log, onDeliveries: wakeSender });
  workers.minter = await startMinter({ db, chain, settler, faults, log });
  for (const worker of Object.values(workers)) running.defer(() => worker.stop());

  return {
    url: origin,
    rpcUrl: chain.rpcUrl,
    info: sandboxInfo(origin, chain, world, settings.vendor),
    setWebhook: (target) => {
      targets.set(target);
      wakeSender();
    },
    stop: () => running.disposeAsync(),
  };
}

async function openTables(database: Database): Promise<Db> {
  const db = new Kysely<Tables>({ dialect: database.dialect });
  await migrate(db as unknown as Kysely<never>, {});
  return db.withSchema('sandbox');
}

/** Requests under way may end; past this the connections are cut. */
const longestCloseMs = 2_000;

async function closeServer(server: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), longestCloseMs);
  await server.close();
  clearTimeout(cut);
}
