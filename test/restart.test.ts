import { readdirSync, readFileSync } from 'node:fs';
import type { SandboxInfo } from '@srr-gateway/sandbox';
import { rpc } from '@srr-gateway/sandbox/testing/issuer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry } from './_util/entries.ts';
import { type GatewayProcess, gatewayProcess } from './_util/gateway-process.ts';
import { GraphQLCaller } from './_util/graphql-caller.ts';

// Long enough to be interrupted in, short enough to be waited for.
const slow = { SANDBOX_HASH_DELAY_MS: '2000', SANDBOX_MINING_INTERVAL_MS: '1500' };

const issue = `mutation ($input: IssueSRRsInput!) {
  issueSRRs(input: $input) { issuance { id status } userErrors { code message } }
}`;
const state = `query ($id: ID!) {
  issuance(id: $id) {
    status history { status }
    entries(first: 50) { edges { node { externalId status srr { tokenId } } } }
  }
}`;

let gateway: GatewayProcess;
let caller: GraphQLCaller;
let info: SandboxInfo;
/** Of every record that was ever asked for here. */
const asked: string[] = [];

async function startFresh(options: { npm: boolean }): Promise<void> {
  gateway = await gatewayProcess({ env: slow, npm: options.npm });
  caller = new GraphQLCaller(gateway.url, { authorization: 'Bearer demo-token' });
  await gateway.start();
  info = (await (await fetch(`${gateway.sandboxUrl}/sandbox`)).json()) as SandboxInfo;
}

/** Uploads a picture and asks for records over it at once: the flow has to wait for its hash. */
async function issueRecords(name: string, count: number) {
  const picture = await caller.upload(`${name}.png`, 'NON_ATTACHMENT_FILE', `picture of ${name}`);
  const names = Array.from({ length: count }, (_, i) => `${name}-${i}`);
  asked.push(...names);
  const input = { requestId: name, entries: names.map((one) => entry(info, one, { upload: picture })) };
  const { issueSRRs } = await caller.data(issue, { input });
  expect(issueSRRs.userErrors).toEqual([]);
  return { id: issueSRRs.issuance.id as string, status: issueSRRs.issuance.status as string, input };
}

const issuance = async (id: string) => (await caller.data(state, { id })).issuance;

/** The issuance completes under its id, and asking again under its requestId still names the same one. */
async function expectCompleted(id: string, input: object): Promise<void> {
  // Under a lease of somebody who was killed, an issuance waits up to 15 s on a shared database.
  await expect.poll(async () => (await issuance(id)).status, { timeout: 40_000 }).toBe('COMPLETED');
  const { entries } = await issuance(id);
  const nodes = entries.edges.map(({ node }: { node: object }) => node);
  for (const node of nodes)
    expect(node).toMatchObject({ status: 'ISSUED', srr: { tokenId: expect.stringMatching(/^\d+$/) } });
  const again = await caller.data(issue, { input });
  expect(again.issueSRRs).toMatchObject({ issuance: { id, status: 'COMPLETED' }, userErrors: [] });
}

/** Every mint that the EVM has seen, as contract and token id: Transfer from nobody. */
async function mints(): Promise<string[]> {
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  const filter = { fromBlock: '0x0', toBlock: 'latest', topics: [transfer, `0x${'0'.repeat(64)}`] };
  const logs = (await rpc({ rpcUrl: gateway.rpcUrl }, 'eth_getLogs', [filter])) as {
    address: string;
    topics: string[];
  }[];
  return logs.map(({ address, topics }) => `${address} ${topics[3]}`);
}

async function expectEachRecordOnce(): Promise<void> {
  const seen = await mints();
  expect(seen).toHaveLength(asked.length);
  expect(new Set(seen).size, 'each token was minted once').toBe(seen.length);
}

/** Processes whose command line names the gateway's directory: its chain, if it is still there. */
function processesOn(directory: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(directory);
      } catch {
        return false; // it ended while we looked
      }
    });
}

async function expectNothingLeft(): Promise<void> {
  if (process.platform === 'linux') expect(processesOn(gateway.dataDir)).toEqual([]);
  for (const url of [gateway.url, gateway.sandboxUrl, gateway.rpcUrl])
    await expect(fetch(url), `${url} is free again`).rejects.toThrow();
}

describe.each([
  { how: 'SIGTERM', signal: 'SIGTERM', whom: 'process', npm: false, code: 0 },
  { how: 'Ctrl-C in a terminal', signal: 'SIGINT', whom: 'group', npm: true, code: 0 },
  { how: 'kill -9', signal: 'SIGKILL', whom: 'group', npm: false, code: null },
] as const)('an issuance under way, stopped by $how', ({ signal, whom, npm, code }) => {
  beforeAll(() => startFresh({ npm }));
  afterAll(async () => {
    asked.length = 0;
    await gateway?.remove();
  });

  it('waits for its files, then for mining, and completes once across both restarts', async () => {
    const { id, status, input } = await issueRecords('twice', 3);
    expect(status).toBe('WAITING_FOR_FILES');
    // npm tells a stop in codes of its own.
    const first = await gateway.stop(signal, whom);
    if (!npm) expect(first).toBe(code);
    await gateway.start();
    expect((await issuance(id)).history[0]).toMatchObject({ status: 'WAITING_FOR_FILES' });
    await expect
      .poll(async () => (await issuance(id)).status, { timeout: 30_000, interval: 20 })
      .toBe('WAITING_FOR_MINING');
    await gateway.stop(signal, whom);
    await gateway.start();
    await expectCompleted(id, input);
    await expectEachRecordOnce();
  });

  it('leaves no process behind when it is stopped politely in the end, and its ports are free', async () => {
    await gateway.stop('SIGINT', 'group');
    await expectNothingLeft();
  });
});

describe('a gateway that is killed', () => {
  beforeAll(() => startFresh({ npm: false }));
  afterAll(async () => {
    asked.length = 0;
    await gateway?.remove();
  });

  // The flow from the mutation to the outcome takes some four seconds with these delays.
  const lives = Array.from({ length: 4 }, (_, i) => Math.round((i + Math.random()) * 1_000));

  it(`at random moments (after ${lives.join(', ')} ms) issues every record once`, async () => {
    const started: { id: string; input: object }[] = [];
    for (const [i, lifeMs] of lives.entries()) {
      started.push(await issueRecords(`random-${i}`, 5));
      await new Promise((resolve) => setTimeout(resolve, lifeMs));
      await gateway.stop('SIGKILL', 'group');
      await gateway.start();
    }
    for (const { id, input } of started) await expectCompleted(id, input);
    await expectEachRecordOnce();
    expect(await gateway.stop('SIGTERM')).toBe(0);
    await expectNothingLeft();
    // Five starts of gateway, sandbox and chain, each of which takes up to ten seconds beside other tests.
  }, 150_000);
});

describe('a start', () => {
  afterAll(() => gateway?.remove());

  it('that is cut off by signals at any moment leaves nothing in the way of the next one', async () => {
    gateway = await gatewayProcess();
    // Into loading, into making the database, into starting the chain.
    for (const [afterMs, signal] of [
      [300, 'SIGKILL'],
      [1_000, 'SIGKILL'],
      [2_500, 'SIGKILL'],
      [1_500, 'SIGTERM'],
      [2_500, 'SIGTERM'],
    ] as const) {
      gateway.launch();
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await gateway.stop(signal);
      const [, later = ''] = gateway.output().split('"stopping"');
      expect(later).not.toContain('is ready');
    }
    await gateway.start();
    expect(await gateway.stop('SIGTERM')).toBe(0);
    await expectNothingLeft();
  });
});
