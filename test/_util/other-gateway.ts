import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@srr-gateway/common/database/database';
import { openDatabase } from '@srr-gateway/common/database/open-database';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { type App, startApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/config.ts';
import { GraphQLCaller } from './graphql-caller.ts';
import { type Account, type OtherService, registry, startOtherService } from './other-service.ts';

const token = 'other-gateway-all-scopes';

export interface OtherGateway {
  service: OtherService;
  app: App;
  database: Database;
  /** The configured issuer, with every scope. The service sends its webhooks to the gateway. */
  caller: GraphQLCaller;
  issuer: Account;
  /** An issuer that sends its own key. It has no webhook at the service. */
  passthrough: GraphQLCaller;
  passthroughIssuer: Account;
  anonymous: GraphQLCaller;
  /** Uploads a small picture; returns a value for `thumbnail` and `image`. */
  picture(caller?: GraphQLCaller): Promise<{ upload: string }>;
  /** Stops the gateway, and starts another one on the same store and port. */
  restart(): Promise<void>;
  /** Starts another gateway on the same store, which ends with the first. */
  replica(): Promise<GraphQLCaller>;
  stop(): Promise<void>;
}

/** A gateway in front of the other service, on a new store, with short timeouts. */
export async function startOtherGateway(
  options: { env?: Record<string, string>; blockMs?: number } = {},
): Promise<OtherGateway> {
  const running = new AsyncDisposableStack();
  const test = await testDatabase();
  running.defer(() => test.drop());
  const service = await startOtherService({
    ...(options.blockMs !== undefined && { blockMs: options.blockMs }),
  });
  running.defer(() => service.stop());
  const dataDir = await mkdtemp(join(tmpdir(), 'other-gateway-'));
  running.defer(() => rm(dataDir, { recursive: true, force: true }));
  const [issuer, passthroughIssuer] = service.accounts as [Account, Account];
  const webhookKey = `webhook-${randomUUID()}`;
  const [port] = await freePorts(1);
  const configured = (listenOn: string) =>
    loadConfig({
      PORT: listenOn,
      DATA_DIR: dataDir,
      COMMERCE_URL: service.commerceUrl,
      SUBGRAPH_URL: service.subgraphUrl,
      IPFS_GATEWAYS: service.ipfsUrl,
      REGISTRY_ADDRESS: registry,
      ISSUERS: JSON.stringify([
        {
          address: issuer.address,
          apiKey: issuer.apiKey,
          webhookKeys: [webhookKey],
          tokens: [{ token, scopes: ['read', 'upload', 'issue'] }],
        },
      ]),
      // The seconds until a lost webhook is replaced by the subgraph, and until a lost request is resolved.
      RECONCILE_AFTER: '1',
      INDEX_WAIT: '1',
      COMMERCE_TIMEOUT: '5',
      ISSUE_TIMEOUT: '5',
      RATE_LIMIT: '0',
      ...options.env,
    });
  const start = (listenOn: string, on: Database) => {
    const { config, secrets } = configured(listenOn);
    const { upstreams } = config;
    if (!upstreams) throw new Error('the gateway has its upstreams from its environment');
    return startApp({ config, secrets, upstreams, database: on, log: silent });
  };
  let app = await start(String(port), test.database);
  running.defer(() => app.stop());
  issuer.webhook = { url: `${app.url}/webhooks/commerce`, key: webhookKey };
  const as = (headers: Record<string, string>, to: App = app) => new GraphQLCaller(to.url, headers);
  const authorized = { authorization: `Bearer ${token}` };
  const caller = as(authorized);
  return {
    service,
    get app() {
      return app;
    },
    database: test.database,
    caller,
    issuer,
    passthrough: as({
      'commerce-api-key': passthroughIssuer.apiKey,
      'issuer-address': passthroughIssuer.address,
    }),
    passthroughIssuer,
    anonymous: as({}),
    picture: async (by = caller) => {
      const bytes = `a picture ${randomUUID()}`;
      return { upload: await by.upload(`${randomUUID()}.png`, 'NON_ATTACHMENT_FILE', bytes) };
    },
    restart: async () => {
      await app.stop();
      app = await start(String(port), test.database);
    },
    replica: async () => {
      // PGlite cannot be opened twice, so two gateways of one process share the handle.
      const own = test.url ? await openDatabase({ url: test.url, dataDir: '' }, silent) : undefined;
      if (own) running.defer(() => own.close());
      const another = await start('0', own ?? test.database);
      running.defer(() => another.stop());
      return as(authorized, another);
    },
    stop: () => running.disposeAsync(),
  };
}

/** An entry of issueSRRs that the other service accepts. */
export function otherEntry(
  service: OtherService,
  externalId: string,
  picture: object,
  over: { metadata?: object; [field: string]: unknown } = {},
): Record<string, unknown> {
  const { metadata, ...rest } = over;
  return {
    externalId,
    artistAddress: service.artist,
    isPrimaryIssuer: true,
    lockExternalTransfer: false,
    metadata: {
      name: externalId,
      title: { en: `Title of ${externalId}` },
      medium: { en: 'Oil on canvas' },
      yearOfCreation: { en: '2026' },
      thumbnail: picture,
      image: picture,
      ...metadata,
    },
    ...rest,
  };
}
