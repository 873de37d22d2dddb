import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { type App, startApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/config.ts';
import { scopes } from '../../src/model/scope.ts';
import { GraphQLCaller } from './graphql-caller.ts';
import { closedPort } from './http-server.ts';

export const loneIssuer = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
export const loneToken = 'lone-token-all-scopes';
export const loneWebhookKey = 'lone-webhook-key';

export interface LoneGateway {
  /** The address where it listens, whatever PUBLIC_URL is. */
  address: string;
  app: App;
  database: Database;
  anonymous: GraphQLCaller;
  /** The one configured issuer, with every scope. */
  caller: GraphQLCaller;
  as(headers: Record<string, string>): GraphQLCaller;
  stop(): Promise<void>;
}

/**
 * A gateway without upstreams unless `env` has them, which starts fast, for tests that need no upstream. `shared` is
 * the database of another one.
 */
export async function startLoneGateway(
  env: Record<string, string> = {},
  log: Logger = silent,
  shared?: Database,
): Promise<LoneGateway> {
  const test = shared ? { database: shared, drop: async () => {} } : await testDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'srr-gateway-'));
  const nobody = await closedPort();
  const port = env.PORT ?? (await freePorts(1))[0];
  const address = `http://127.0.0.1:${port}`;
  const issuers = [
    {
      address: loneIssuer,
      apiKey: 'a-configured-key',
      webhookKeys: [loneWebhookKey],
      tokens: [
        { token: loneToken, scopes },
        ...scopes.map((scope) => ({
          token: `lone-token-${scope}`,
          scopes: [scope],
        })),
      ],
    },
  ];
  const { config, secrets } = loadConfig({
    PORT: String(port),
    DATA_DIR: dataDir,
    COMMERCE_URL: nobody,
    SUBGRAPH_URL: nobody,
    IPFS_GATEWAYS: nobody,
    ...(env.ISSUERS_FILE === undefined && { ISSUERS: JSON.stringify(issuers) }),
    ...env,
  });
  const { upstreams } = config;
  if (!upstreams) throw new Error('the lone gateway has upstreams');
  const { database } = test;
  const app = await startApp({ config, secrets, upstreams, database, log });
  const as = (headers: Record<string, string>) => new GraphQLCaller(address, headers);
  return {
    app,
    address,
    database,
    anonymous: as({}),
    caller: as({ authorization: `Bearer ${loneToken}` }),
    as,
    stop: async () => {
      await app.stop();
      await test.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
