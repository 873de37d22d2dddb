import { join } from 'node:path';
import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import type { StartError } from '@srr-gateway/common/start-error';
import { Kysely } from 'kysely';
import { endStrayNodes } from './chain/anvil-process.ts';
import { type Chain, startChain } from './chain/chain.ts';
import type { SandboxSettings } from './config/settings.ts';
import type { RuntimeSettings } from './control/runtime-settings.ts';
import { Faults } from './faults/faults.ts';
import { fixtureMigrations, fixturesLoaded, loadFixtures, seedChain } from './fixtures/load.ts';
import { fixturePeople } from './fixtures/people.ts';
import { Content } from './ipfs/content.ts';
import { Clock } from './lib/clock.ts';
import { Directory } from './licensing/directory.ts';
import { registerParticipants, type World } from './licensing/participants.ts';
import { people } from './licensing/people.ts';
import { requeueLostRows } from './minting/requeue.ts';
import { Signatures } from './storage/signature.ts';
import { Storage } from './storage/storage.ts';
import { takeExclusiveLock } from './store/exclusive-lock.ts';
import { migrate } from './store/migrate.ts';
import type { Db, Tables } from './store/tables.ts';
import { chainIndexed } from './subgraph/chain-indexed.ts';
import { subgraphMigrations } from './subgraph/migrations.ts';
import { type Subgraph, startSubgraph } from './subgraph/subgraph.ts';
import { type WebhookTarget, WebhookTargets } from './webhooks/targets.ts';
import { initialiseCursor } from './webhooks/transfer-watch.ts';

/** Options of a sandbox. */
export interface SandboxOptions {
  settings: SandboxSettings;
  /**
   * The sandbox uses its schema `sandbox` and leaves the database open: the caller closes it, after `stop`.
   * As a promise it can open while the chain starts.
   */
  database: Database | Promise<Database>;
  /** The directory of uploaded bytes, published blocks and the chain's state; for one sandbox at a time. */
  dataDir: string;
  /** Targets for the issuers that they name; one without an issuer replaces the target in `settings`. */
  webhooks?: readonly WebhookTarget[];
  log: Logger;
}

/** Shared dependencies of routes and workers. */
export interface Container {
  settings: SandboxSettings;
  log: Logger;
  db: Db;
  chain: Chain;
  subgraph: Subgraph;
  world: World;
  directory: Directory;
  storage: Storage;
  content: Content;
  signatures: Signatures;
  clock: Clock;
  faults: Faults;
  targets: WebhookTargets;
  runtime: RuntimeSettings;
}

/**
 * Opens what the server needs, on the state of an earlier run. Adds to `running` what must be stopped. `onLost`
 * is called when another sandbox has taken the database.
 */
export async function openContainer(
  options: SandboxOptions,
  running: AsyncDisposableStack,
  onLost: (error: StartError) => void,
): Promise<Container> {
  const { settings, dataDir, log } = options;
  const stateDir = join(dataDir, 'chain');
  let newlySeeded = false;
  const startNode = async () => {
    await endStrayNodes(stateDir);
    if (settings.fixtures) newlySeeded = await seedChain(stateDir);
    return startChain({ stateDir, port: settings.rpcPort, miningIntervalMs: settings.miningIntervalMs, log });
  };
  const chainStarting = startNode();
  // Handle a failure now: it may come while the database is awaited, and would be unhandled.
  const chainStarted = chainStarting.catch(() => undefined);
  running.defer(async () => (await chainStarted)?.stop());
  const database = await options.database;
  running.defer(await takeExclusiveLock(database, log, onLost));
  const db = await openTables(database);
  const [chain, storage, content, signatures] = await Promise.all([
    chainStarting,
    Storage.open(db, join(dataDir, 'storage')),
    Content.open(db, join(dataDir, 'ipfs')),
    Signatures.open(db),
  ]);
  await requeueLostRows(db, chain.heightAtStart);
  const directory = new Directory(db, settings);
  if (settings.fixtures) await loadFixtures({ db, chain, content, storage, seeded: newlySeeded });
  const seeded = await fixturesLoaded(db);
  const world = await registerParticipants(chain, directory, seeded ? [...people, ...fixturePeople] : people);
  await initialiseCursor({ db, chain });
  const subgraph = await startSubgraph({ database, chain, log });
  running.defer(() => subgraph.stop());
  await chainIndexed(subgraph, Number(await chain.client.getBlockNumber({ cacheTime: 0 })));
  subgraph.setFaults({ lag: { blocks: 0, ms: settings.indexLagMs } });
  const { hashDelayMs, miningIntervalMs, indexLagMs } = settings;
  return {
    settings,
    log,
    db,
    chain,
    subgraph,
    world,
    directory,
    storage,
    content,
    signatures,
    clock: new Clock(),
    faults: new Faults(),
    targets: targetsOf(options),
    runtime: {
      hashDelayMs,
      miningIntervalMs,
      miningAttempts: 5,
      indexLagMs,
      indexLagBlocks: 0,
      indexingErrors: false,
      indexEarliestBlock: 1,
      webhooksPaused: false,
      webhooksOfRefusals: false,
      webhooksOfRetries: false,
      fileMetadataShape: 'results',
      deliveryShape: 'slim',
    },
  };
}

async function openTables(database: Database): Promise<Db> {
  const db = new Kysely<Tables>({ dialect: database.dialect });
  await migrate(db as unknown as Kysely<never>, { ...subgraphMigrations, ...fixtureMigrations });
  return db.withSchema('sandbox');
}

function targetsOf({ settings, webhooks = [] }: SandboxOptions): WebhookTargets {
  const targets = new WebhookTargets();
  for (const target of [...(settings.webhook ? [settings.webhook] : []), ...webhooks]) targets.set(target);
  return targets;
}
