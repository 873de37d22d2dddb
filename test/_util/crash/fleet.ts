import { randomBytes } from 'node:crypto';
import { startupScope } from '@srr-gateway/common/startup-scope';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import type { SandboxInfo } from '@srr-gateway/sandbox';
import { sandboxProcess } from '@srr-gateway/sandbox/testing/sandbox-process';
import { expect } from 'vitest';
import { type GatewayProcess, type GatewayProcessOptions, gatewayProcess } from '../gateway-process.ts';
import { GraphQLCaller } from '../graphql-caller.ts';
import { loadBalancer } from '../load-balancer.ts';
import { type CheckpointKill, checkpointKill } from './checkpoint-kill.ts';

const token = 'token-of-the-crash-tests';

export interface FleetOptions {
  /** The number of gateways on the store; several need a `databaseUrl`. */
  replicas?: number;
  /** Absent: the embedded store of `gatewayProcess`. */
  databaseUrl?: string;
  /** The environment of the sandbox, which overrides the quick settings below. */
  sandbox?: Record<string, string>;
  /** Options of single replicas; their environment overrides the quick settings below. */
  replica?: (index: number) => Pick<GatewayProcessOptions, 'env' | 'nodeArguments' | 'wrapper'>;
}

/** Gateways in separate processes behind one address, with a service in a process that is never killed. */
export interface Fleet {
  info: SandboxInfo;
  replicas: GatewayProcess[];
  order: CheckpointKill;
  /** A caller of any running replica. */
  caller: GraphQLCaller;
  /** A caller of this replica only. */
  callerOf(replica: GatewayProcess): GraphQLCaller;
  /** Sends no connections to this replica, like a balancer whose probe fails; undefined ends this. */
  leaveOut(replica: GatewayProcess | undefined): void;
  /** The address and the key of the service's webhooks. */
  webhooks: { url: string; key: string };
  /** Starts all replicas that were killed. */
  revive(): Promise<void>;
  /** Throws, with the output, if a gateway has ended without a kill. */
  expectNoExit(): void;
  arm(fault: object): Promise<void>;
  clearFaults(): Promise<void>;
  stop(): Promise<void>;
}

export async function startFleet(options: FleetOptions = {}): Promise<Fleet> {
  return startupScope((running) => compose(options, running));
}

async function compose(options: FleetOptions, running: AsyncDisposableStack): Promise<Fleet> {
  const ports = await freePorts(options.replicas ?? 1);
  const balancer = await loadBalancer(ports);
  running.defer(() => balancer.close());
  const webhooks = { url: `${balancer.url}/webhooks/commerce`, key: randomBytes(16).toString('hex') };
  const service = await sandboxProcess({
    // Tests count only the records that they issue themselves.
    SANDBOX_FIXTURES: 'off',
    SANDBOX_WEBHOOK_URL: webhooks.url,
    SANDBOX_WEBHOOK_KEY: webhooks.key,
    SANDBOX_WEBHOOK_BACKOFF_MS: '200',
    SANDBOX_MINING_INTERVAL_MS: '50',
    SANDBOX_HASH_DELAY_MS: '0',
    SANDBOX_INDEX_LAG_MS: '0',
    ...options.sandbox,
  });
  running.defer(() => service.remove());
  const { info } = service;
  const [issuer] = info.issuers;
  const env = {
    LOG_LEVEL: 'error',
    COMMERCE_URL: info.commerceUrl,
    SUBGRAPH_URL: info.subgraphUrl,
    IPFS_GATEWAYS: info.ipfsUrl,
    REGISTRY_ADDRESS: info.registryAddress,
    // Short, so that the gateway soon queries the subgraph for a lost webhook, and gives up a late response.
    RECONCILE_AFTER: '1',
    ISSUE_TIMEOUT: '3',
    ISSUERS: JSON.stringify([
      {
        address: issuer?.address,
        apiKey: issuer?.apiKey,
        webhookKeys: [webhooks.key],
        tokens: [{ token, scopes: ['read', 'upload', 'issue'] }],
      },
    ]),
    ...(options.databaseUrl && {
      DATABASE_URL: options.databaseUrl,
      SECRETS_KEY: randomBytes(32).toString('base64'),
    }),
  };
  const order = checkpointKill();
  running.defer(async () => order.withdraw());
  const replicas: GatewayProcess[] = [];
  for (const [index, port] of ports.entries()) {
    const own = options.replica?.(index) ?? {};
    const replica = await gatewayProcess({
      ...own,
      nodeArguments: [...order.nodeArguments, ...(own.nodeArguments ?? [])],
      env: { ...env, ...order.env, PORT: String(port), ...own.env },
    });
    running.defer(() => replica.remove());
    await replica.start();
    replicas.push(replica);
  }
  const faults = async (method: 'POST' | 'DELETE', body?: object) => {
    const response = await fetch(`${info.commerceUrl}/sandbox/faults`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    expect(response.ok).toBe(true);
  };
  const expectNoExit = () => {
    const gone = replicas.find((one) => one.exited());
    if (gone) throw new Error(`A gateway ended by itself:\n${gone.output()}`);
  };
  const callerAt = (url: string) => new GraphQLCaller(url, { authorization: `Bearer ${token}` });
  return {
    info,
    replicas,
    order,
    caller: callerAt(balancer.url),
    callerOf: ({ url }) => callerAt(url),
    leaveOut: (replica) => balancer.leaveOut(replica ? [Number(new URL(replica.url).port)] : []),
    webhooks,
    expectNoExit,
    revive: async () => {
      expectNoExit();
      await Promise.all(replicas.filter((one) => !one.running()).map((one) => one.start()));
    },
    arm: (fault) => faults('POST', fault),
    clearFaults: () => faults('DELETE'),
    stop: () => running.disposeAsync(),
  };
}
