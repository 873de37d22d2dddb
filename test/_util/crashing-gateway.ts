import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicClient, http, parseAbiItem } from 'viem';
import { expect } from 'vitest';
import type { SandboxInfo } from '../../src/sandbox/start.ts';
import { entry } from './entries.ts';
import { freePorts, type GatewayProcess, gatewayProcess } from './gateway-process.ts';
import { GraphQLCaller } from './graphql-caller.ts';
import { sandboxProcess } from './sandbox-process.ts';

const token = 'token-of-the-crash-tests';

const issue = `mutation ($input: IssueSRRsInput!) {
  issueSRRs(input: $input) { issuance { id } userErrors { code message } }
}`;
const outcome = `query ($requestId: String!) { issuance(requestId: $requestId) {
  status history { status reason } entries { edges { node { externalId status srr { tokenId } error { code } } } }
} }`;

export interface Outcome {
  status: string;
  history: { status: string; reason: string }[];
  entries: { externalId: string; status: string; tokenId: string | undefined }[];
}

/** A gateway in a process that dies where it is told to, before a service that lives on in another. */
export interface CrashingGateway {
  info: SandboxInfo;
  /** Dies at its next checkpoint of this name, or at the n-th of any (`#7`). */
  dieAt(checkpoint: string): void;
  /** Whether the order was carried out. */
  died(): boolean;
  arm(fault: object): Promise<void>;
  clearFaults(): Promise<void>;
  /** Sends the mutation until it is answered, as a client with a requestId may; restarts the dead. */
  issue(requestId: string, over?: Record<string, unknown>): Promise<void>;
  /** Restarts the gateway when it is dead, and waits for the issuance's final status. */
  finish(requestId: string): Promise<Outcome>;
  /** How often each token was minted, as the chain tells. */
  mints(tokenIds: (string | undefined)[]): Promise<number[]>;
  stop(): Promise<void>;
}

export async function crashingGateway(): Promise<CrashingGateway> {
  const dieFile = join(tmpdir(), `die-${randomUUID()}`);
  const webhookKey = randomBytes(16).toString('hex');
  const [port] = await freePorts(1);
  const service = await sandboxProcess({
    SANDBOX_WEBHOOK_URL: `http://127.0.0.1:${port}/webhooks/commerce`,
    SANDBOX_WEBHOOK_KEY: webhookKey,
    SANDBOX_WEBHOOK_BACKOFF_MS: '200',
    SANDBOX_MINING_INTERVAL_MS: '50',
    SANDBOX_HASH_DELAY_MS: '0',
    SANDBOX_INDEX_LAG_MS: '0',
  });
  const { info } = service;
  const [issuer] = info.issuers;
  const gateway = await gatewayProcess({
    nodeArguments: ['--import', './test/_util/die-at-checkpoint.ts'],
    env: {
      PORT: String(port),
      LOG_LEVEL: 'error',
      COMMERCE_URL: info.commerceUrl,
      SUBGRAPH_URL: info.subgraphUrl,
      IPFS_GATEWAYS: info.ipfsUrl,
      REGISTRY_ADDRESS: info.registryAddress,
      RECONCILE_AFTER: '1',
      ISSUERS: JSON.stringify([
        {
          address: issuer?.address,
          apiKey: issuer?.apiKey,
          webhookKeys: [webhookKey],
          tokens: [{ token, scopes: ['read', 'upload', 'issue'] }],
        },
      ]),
      DIE_FILE: dieFile,
    },
  });
  await gateway.start();
  const caller = new GraphQLCaller(`http://127.0.0.1:${port}`, { authorization: `Bearer ${token}` });
  const picture = { upload: await caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
  const control = (method: string, body?: object) =>
    fetch(`${info.commerceUrl}/sandbox/faults`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });

  return {
    info,
    dieAt: (checkpoint) => writeFileSync(dieFile, checkpoint),
    died: () => !existsSync(dieFile),
    arm: async (fault) => expect((await control('POST', fault)).ok).toBe(true),
    clearFaults: async () => expect((await control('DELETE')).ok).toBe(true),
    async issue(requestId, over = {}) {
      const entries = ['a', 'b'].map((name) => entry(info, `${requestId}-${name}`, picture, over));
      const { issueSRRs } = await untilAlive(gateway, () =>
        caller.data(issue, { input: { requestId, entries } }),
      );
      expect(issueSRRs.userErrors).toEqual([]);
    },
    async finish(requestId) {
      // 60 s: the lease of the dead and the patience before the index is asked, on a busy machine.
      for (const giveUpAt = Date.now() + 60_000; ; await new Promise((done) => setTimeout(done, 100))) {
        const { issuance } = await untilAlive(gateway, () => caller.data(outcome, { requestId }));
        const { status, history } = issuance;
        const final = ['COMPLETED', 'REJECTED', 'CANCELLED'].includes(status);
        const entries = issuance.entries.edges.map(
          ({ node }: { node: { externalId: string; status: string; srr?: { tokenId: string } } }) => ({
            externalId: node.externalId,
            status: node.status,
            tokenId: node.srr?.tokenId,
          }),
        );
        if (final) return { status, history, entries };
        if (Date.now() > giveUpAt) throw new Error(`${requestId} did not end: ${JSON.stringify(issuance)}`);
      }
    },
    async mints(tokenIds) {
      const chain = createPublicClient({ transport: http(info.rpcUrl) });
      const logs = await chain.getLogs({
        event: parseAbiItem(
          'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
        ),
        args: { from: '0x0000000000000000000000000000000000000000' },
        fromBlock: 0n,
      });
      return tokenIds.map((tokenId) => logs.filter(({ args }) => String(args.tokenId) === tokenId).length);
    },
    async stop() {
      rmSync(dieFile, { force: true });
      await gateway.remove();
      await service.remove();
    },
  };
}

/** A call that fails because nobody answers finds the gateway dead: it is started again, and asked again. */
async function untilAlive<T>(gateway: GatewayProcess, call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const unreachable = error instanceof TypeError || (error as Error).name === 'SocketError';
      if (!unreachable) throw error;
      await gateway.stop('SIGKILL');
      await gateway.start();
    }
  }
}
