import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from '@srr-gateway/common/address';
import { parseAddress } from '@srr-gateway/common/address';
import type { Database } from '@srr-gateway/common/database/database';
import { openDatabase } from '@srr-gateway/common/database/open-database';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import type { SandboxInfo, SandboxSettings } from '@srr-gateway/sandbox';
import { startTestSandbox, type TestSandbox } from '@srr-gateway/sandbox/testing/sandbox';
import { type App, startApp } from '../../src/app.ts';
import { type Issuer, loadConfig, type Upstreams } from '../../src/config/config.ts';
import { scopes } from '../../src/model/scope.ts';
import { GraphQLCaller } from './graphql-caller.ts';

export const testToken = 'test-token-all-scopes';

export interface TestGatewayOptions {
  sandbox?: Partial<SandboxSettings>;
  /** Environment variables that override the quick ones below. */
  env?: Record<string, string>;
  /** Addresses that override those of the sandbox. */
  upstreams?: Partial<Upstreams>;
  /** Changes the configuration of the sandbox's issuers: their keys and tokens. */
  issuers?: (issuers: Issuer[]) => Issuer[];
  /** Wraps the database of the gateway, for example to count its statements. */
  databaseOf?: (database: Database) => Database;
}

export interface TestGateway {
  app: App;
  sandbox: TestSandbox;
  info: SandboxInfo;
  database: Database;
  /** The first issuer, with every scope. */
  caller: GraphQLCaller;
  /** A caller without credentials. */
  anonymous: GraphQLCaller;
  issuer: Issuer;
  /** All issuers. The token of the second is that of the first followed by `-1`, and so on. */
  issuers: Issuer[];
  /** Starts another replica, which stops with the gateway; returns a caller for the first issuer. */
  replica(): Promise<GraphQLCaller>;
  stop(): Promise<void>;
}

/** The gateway and a sandbox, wired as by `npm start`, on one new store. */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const test = await testDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'srr-gateway-'));
  const { database } = test;
  const sandbox = await startTestSandbox({
    database,
    ...(options.sandbox && { settings: options.sandbox }),
  });
  const { info } = sandbox.sandbox;
  const known = info.issuers.map(
    ({ address, apiKey }, i): Issuer => ({
      address: parseAddress(address) as Address,
      apiKey,
      webhookKeys: [randomBytes(16).toString('hex')],
      signingSecrets: [],
      tokens: [{ token: i === 0 ? testToken : `${testToken}-${i}`, scopes: [...scopes] }],
    }),
  );
  const issuers = options.issuers?.(known) ?? known;
  const { config, secrets } = loadConfig({ PORT: '0', DATA_DIR: dataDir, ...options.env });
  const start = (on: Database) =>
    startApp({
      config,
      secrets: { ...secrets, issuers },
      upstreams: {
        commerceUrl: info.commerceUrl,
        subgraphUrls: [info.subgraphUrl],
        ipfsGateways: [info.ipfsUrl],
        registryAddress: parseAddress(info.registryAddress),
        ...options.upstreams,
      },
      database: on,
      log: silent,
    });
  const app = await start(options.databaseOf?.(database) ?? database);
  const replicas = new AsyncDisposableStack();
  for (const { address, webhookKeys } of issuers)
    if (webhookKeys[0])
      sandbox.sandbox.setWebhook({
        issuer: address,
        url: `${app.url}/webhooks/commerce`,
        key: webhookKeys[0],
      });
  const callerOf = ({ url }: App) => new GraphQLCaller(url, { authorization: `Bearer ${testToken}` });
  return {
    app,
    sandbox,
    info,
    database,
    caller: callerOf(app),
    anonymous: new GraphQLCaller(app.url),
    issuer: issuers[0] as Issuer,
    issuers,
    replica: async () => {
      // PGlite cannot be opened twice, so two gateways of one process share the handle.
      const own = test.url ? await openDatabase({ url: test.url, dataDir: '' }, silent) : undefined;
      if (own) replicas.defer(() => own.close());
      const another = await start(own ?? database);
      replicas.defer(() => another.stop());
      return callerOf(another);
    },
    stop: async () => {
      await replicas.disposeAsync();
      await app.stop();
      await sandbox.stop();
      await test.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
