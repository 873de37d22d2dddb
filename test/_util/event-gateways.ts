import { randomBytes } from 'node:crypto';
import { testDatabase } from '@srr-gateway/common/testing/database';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { type GatewayProcess, gatewayProcess } from './gateway-process.ts';

/** Gateways without an issuance service, which accept deliveries and send events. */
export interface EventGateways {
  replicas: GatewayProcess[];
  issuer: string;
  webhookKey: string;
  /** A token with the scopes read and webhooks. */
  token: string;
  /** The environment with which another program uses the store of this replica. */
  env(replica: GatewayProcess): Record<string, string>;
  /** Kills one with SIGKILL and starts it again. */
  kill(replica: GatewayProcess): Promise<void>;
  stop(): Promise<void>;
}

/** Several replicas need a database server (TEST_DATABASE_URL, or `databaseUrl`). */
export async function eventGateways({
  replicas = 1,
  databaseUrl,
  env,
}: {
  replicas?: number;
  databaseUrl?: string;
  env?: Record<string, string>;
} = {}): Promise<EventGateways> {
  const running = new AsyncDisposableStack();
  const issuer = `0x${'1'.repeat(40)}`;
  const webhookKey = randomBytes(16).toString('hex');
  const token = randomBytes(16).toString('hex');
  const [closed] = await freePorts(1);
  const nobody = `http://127.0.0.1:${closed}`;
  let database = databaseUrl;
  if (!database && replicas > 1) {
    const own = await testDatabase();
    running.defer(() => own.drop());
    database = own.url;
  }
  const settings = {
    LOG_LEVEL: 'error',
    COMMERCE_URL: nobody,
    SUBGRAPH_URL: nobody,
    IPFS_GATEWAYS: nobody,
    ISSUERS: JSON.stringify([
      {
        address: issuer,
        apiKey: randomBytes(16).toString('hex'),
        webhookKeys: [webhookKey],
        tokens: [{ token, scopes: ['read', 'webhooks'] }],
      },
    ]),
    ...(database && { DATABASE_URL: database, SECRETS_KEY: randomBytes(32).toString('base64') }),
    ...env,
  };
  try {
    const all: GatewayProcess[] = [];
    for (let i = 0; i < replicas; i++) {
      const replica = await gatewayProcess({ env: settings });
      running.defer(() => replica.remove());
      all.push(replica);
    }
    await Promise.all(all.map((replica) => replica.start()));
    return {
      replicas: all,
      issuer,
      webhookKey,
      token,
      env: ({ dataDir, databaseUrl }) => ({
        DATA_DIR: dataDir,
        ...(databaseUrl && {
          DATABASE_URL: databaseUrl,
          SECRETS_KEY: randomBytes(32).toString('base64'),
        }),
      }),
      kill: async (replica) => {
        await replica.stop('SIGKILL');
        await replica.start();
      },
      stop: () => running.disposeAsync(),
    };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}
