import { randomBytes } from 'node:crypto';
import { testDatabase } from '@srr-gateway/common/testing/database';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import type { SandboxInfo } from '@srr-gateway/sandbox';
import { sandboxProcess } from '@srr-gateway/sandbox/testing/sandbox-process';
import { Client } from 'pg';
import { type Db, openTables } from '../../src/store/store.ts';
import { type GatewayProcess, gatewayProcess } from '../../test/_util/gateway-process.ts';
import { registryAddress } from '../reads/data.ts';
import { type Server, startSources } from '../reads/servers.ts';
import { usageOf } from '../usage.ts';
import { balancer } from './balancer.ts';
import { cpuSecondsOfTree, type Limit, processorLimit } from './processors.ts';

/** A configured issuer, with the credentials of its programs. */
export interface Tenant {
  address: string;
  token: string;
  webhookKey: string;
}

/** Processor seconds so far, by process. */
export type Times = Record<'gateway' | 'nginx' | 'postgres' | 'sources', number>;

/** N replicas behind nginx, on one PostgreSQL. */
export interface Deployment {
  url: string;
  db: Db;
  sources: Server;
  /** The service for issuances; its issuer is `issuing`. */
  service: SandboxInfo;
  issuing: Tenant;
  /** The issuer of all subscribers. */
  heard: Tenant;
  /** The issuers of the deliveries: each issuer's deliveries are stored in separate transactions. */
  delivering: Tenant[];
  times(): Times;
  /** Resident bytes of all replicas. */
  memory(): number;
  connections(): Promise<number>;
  /** Limits each replica to this share of a processor from now on. */
  limit(share: number): void;
  unlimit(): void;
  stop(): Promise<void>;
}

const tenants = 8;
const key = () => randomBytes(16).toString('hex');

const deployments = new Set<AsyncDisposableStack>();

/** Ends the replicas on a signal, because they are in process groups of their own. */
export async function stopDeployments(): Promise<void> {
  await Promise.all([...deployments].map((running) => running.disposeAsync()));
}

export async function startDeployment(replicas: number): Promise<Deployment> {
  const running = new AsyncDisposableStack();
  deployments.add(running);
  try {
    const own = await testDatabase();
    running.defer(() => own.drop());
    const admin = new Client({ connectionString: own.url as string });
    await admin.connect();
    running.defer(() => admin.end());
    const sources = await startSources();
    running.defer(() => sources.stop());
    const [port] = (await freePorts(1)) as [number];
    const issuingKey = key();
    const service = await sandboxProcess({
      SANDBOX_WEBHOOK_URL: `http://127.0.0.1:${port}/webhooks/commerce`,
      SANDBOX_WEBHOOK_KEY: issuingKey,
      SANDBOX_MINING_INTERVAL_MS: '200',
      SANDBOX_HASH_DELAY_MS: '0',
      SANDBOX_FIXTURES: 'off',
      SANDBOX_SRR_QUOTA: '100000000',
    });
    running.defer(() => service.remove());
    const [issuer] = service.info.issuers as [SandboxInfo['issuers'][number]];
    const tenant = (address: string, webhookKey = key()): Tenant => ({ address, token: key(), webhookKey });
    const issuing = tenant(issuer.address, issuingKey);
    const heard = tenant(`0x${'e'.repeat(40)}`);
    const delivering = Array.from({ length: tenants }, (_, i) => tenant(`0x${String(i + 1).repeat(40)}`));
    const env = {
      LOG_LEVEL: 'error',
      NODE_ENV: 'production',
      DATABASE_URL: own.url as string,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      COMMERCE_URL: service.info.commerceUrl,
      SUBGRAPH_URL: `${sources.url}/subgraph`,
      IPFS_GATEWAYS: sources.url,
      REGISTRY_ADDRESS: registryAddress,
      // Every request is counted, but no caller reaches a limit.
      TRUSTED_PROXIES: '1',
      RATE_LIMIT: '1000000000',
      COST_LIMIT: '1000000000000',
      MAX_STREAMS: '0',
      ISSUERS: JSON.stringify(
        [issuing, heard, ...delivering].map(({ address, token, webhookKey }) => ({
          address,
          apiKey: address === issuer.address ? issuer.apiKey : key(),
          webhookKeys: [webhookKey],
          tokens: [{ token, scopes: ['read', 'upload', 'issue', 'webhooks'] }],
        })),
      ),
    };
    const limits: Limit[] = [];
    // Registered before the replicas, so that it runs after they have ended.
    running.defer(() => {
      for (const limit of limits) limit.remove();
    });
    const all: GatewayProcess[] = [];
    for (let i = 0; i < replicas; i++) {
      const replica = await gatewayProcess({ env });
      running.defer(() => replica.remove());
      await replica.start();
      all.push(replica);
    }
    const nginx = await balancer(
      port,
      all.map(({ url }) => Number(new URL(url).port)),
    );
    running.defer(() => nginx.stop());
    const { rows } = await admin.query(
      `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`,
    );
    const postgres = (rows[0] as { pid: number }).pid;
    const sum = (of: (pid: number) => number) =>
      all.reduce((total, replica) => total + of(replica.pid() as number), 0);
    return {
      url: nginx.url,
      db: await openTables(own.database),
      sources,
      service: service.info,
      issuing,
      heard,
      delivering,
      times: () => ({
        gateway: sum(cpuSecondsOfTree),
        nginx: cpuSecondsOfTree(nginx.pid),
        postgres: cpuSecondsOfTree(postgres),
        sources: sources.usage()?.cpuSeconds ?? 0,
      }),
      memory: () => sum((pid) => usageOf(pid)?.rss ?? 0),
      connections: async () => {
        const counted = await admin.query(
          `select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
        );
        return (counted.rows[0] as { n: number }).n;
      },
      limit: (share) => {
        for (const [i, replica] of all.entries()) {
          const limit = processorLimit(`srr-bench-${process.pid}-${replicas}-${i}`, share);
          limits.push(limit);
          limit.hold(replica.pid() as number);
        }
      },
      unlimit: () => {
        for (const limit of limits) limit.lift();
      },
      stop: () => running.disposeAsync(),
    };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}
