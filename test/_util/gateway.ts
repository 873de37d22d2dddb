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
  /** Environment variables over the quick ones below. */
  env?: Record<string, string>;
  /** Over the sandbox's addresses. */
  upstreams?: Partial<Upstreams>;
  /** Changes what the gateway is told of the sandbox's issuers: their keys, their tokens. */
  issuers?: (issuers: Issuer[]) => Issuer[];
  /** The database as the gateway sees it, such as one that counts its statements. */
  databaseOf?: (database: Database) => Database;
}

export interface TestGateway {
  app: App;
  sandbox: TestSandbox;
  info: SandboxInfo;
  database: Database;
  /** The first issuer, with every scope. */
  caller: GraphQLCaller;
  /** Nobody in particular. */
  anonymous: GraphQLCaller;
  issuer: Issuer;
  /** It and all others; the second one's token is the first one's with `-1` behind it, and so on. */
  issuers: Issuer[];
  /** Another replica on the same store, stopped with the gateway; the first issuer speaks to it. */
  replica(): Promise<GraphQLCaller>;
  stop(): Promise<void>;
}

/** The gateway and a sandbox behind it, wired as `npm start` wires them, on one fresh store. */
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
      // PGlite cannot be opened twice: there, two gateways of one process share the handle.
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
