import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import type { SandboxInfo } from '@srr-gateway/sandbox';
import { sandboxProcess } from '@srr-gateway/sandbox/testing/sandbox-process';
import { type GatewayProcess, gatewayProcess } from '../../test/_util/gateway-process.ts';
import { GraphQLCaller } from '../../test/_util/graphql-caller.ts';
import type { Note, ProcessNote } from './notes.ts';

/** One gateway as it is deployed, with its service in a separate process. */
export interface DeployedGateway {
  info: SandboxInfo;
  caller: GraphQLCaller;
  gateway: GatewayProcess;
  stop(): Promise<void>;
}

/** The same, with a process that reports its own measurements. */
export interface ObservedGateway extends DeployedGateway {
  /** The notes since the last call, and what the process uses after a garbage collection. */
  observe(): Promise<{ notes: Note[]; usage: ProcessNote }>;
}

const token = 'token-of-the-bench';

/** Starts gateway and service, each with its own environment variables. */
export async function deployedGateway(options: {
  service: Record<string, string>;
  env: Record<string, string>;
  nodeArguments?: string[];
}): Promise<DeployedGateway> {
  const webhookKey = randomBytes(16).toString('hex');
  const [port] = await freePorts(1);
  const service = await sandboxProcess({
    SANDBOX_WEBHOOK_URL: `http://127.0.0.1:${port}/webhooks/commerce`,
    SANDBOX_WEBHOOK_KEY: webhookKey,
    SANDBOX_SRR_QUOTA: '100000000',
    ...options.service,
  });
  const { info } = service;
  const [issuer] = info.issuers;
  const gateway = await gatewayProcess({
    nodeArguments: options.nodeArguments ?? [],
    env: {
      PORT: String(port),
      LOG_LEVEL: 'error',
      COMMERCE_URL: info.commerceUrl,
      SUBGRAPH_URL: info.subgraphUrl,
      IPFS_GATEWAYS: info.ipfsUrl,
      REGISTRY_ADDRESS: info.registryAddress,
      ISSUERS: JSON.stringify([
        {
          address: issuer?.address,
          apiKey: issuer?.apiKey,
          webhookKeys: [webhookKey],
          tokens: [{ token, scopes: ['read', 'upload', 'issue'] }],
        },
      ]),
      ...options.env,
    },
  });
  const stop = async () => {
    await gateway.remove();
    await service.remove();
  };
  await gateway.start().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const caller = new GraphQLCaller(gateway.url, { authorization: `Bearer ${token}` });
  return { info, caller, gateway, stop };
}

export async function observedGateway(): Promise<ObservedGateway> {
  const file = join(tmpdir(), `bench-${randomBytes(8).toString('hex')}`);
  const deployed = await deployedGateway({
    // Blocks with several records, as on a live chain, but soon, because the wait for blocks is not measured.
    service: {
      SANDBOX_MINING_INTERVAL_MS: '200',
      SANDBOX_HASH_DELAY_MS: '0',
      SANDBOX_INDEX_LAG_MS: '0',
      SANDBOX_FIXTURES: 'off',
    },
    env: { BENCH_FILE: file },
    nodeArguments: ['--expose-gc', '--import', './bench/flow/observe.ts'],
  });
  const { gateway } = deployed;
  return {
    ...deployed,
    async observe() {
      rmSync(file, { force: true });
      gateway.signal('SIGUSR2');
      // A garbage collection takes well under a second, but longer on a busy machine.
      for (const giveUpAt = Date.now() + 10_000; Date.now() < giveUpAt; await sleep(20)) {
        const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
        if (!text.endsWith('\n')) continue;
        const notes = text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Note);
        const usage = notes.find((note) => note.kind === 'process');
        if (usage) return { notes, usage };
      }
      throw new Error(`The gateway did not report its measurements:\n${gateway.output()}`);
    },
    async stop() {
      await deployed.stop();
      rmSync(file, { force: true });
    },
  };
}
