import { readdirSync, readFileSync } from 'node:fs';
import type { SandboxInfo } from '@srr-gateway/sandbox';
import { rpc } from '@srr-gateway/sandbox/testing/issuer';
import { describe, expect, it, onTestFinished } from 'vitest';
import { entry } from '../_util/entries.ts';
import { type GatewayProcess, gatewayProcess } from '../_util/gateway-process.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';

// Long enough to interrupt an issuance, short enough to wait for its end.
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
/** The externalIds of all records that were sent. */
const sentIds: string[] = [];

/** Each run of a test has a gateway of its own. */
async function startFresh(options: { npm: boolean }): Promise<void> {
  gateway = await gatewayProcess({ env: slow, npm: options.npm });
  onTestFinished(() => gateway.remove());
  sentIds.length = 0;
  caller = new GraphQLCaller(gateway.url, { authorization: 'Bearer demo-token' });
  await gateway.start();
  info = (await (await fetch(`${gateway.sandboxUrl}/sandbox`)).json()) as SandboxInfo;
}

/** Issues records right after uploading their picture, so that the issuance has to wait for its hash. */
async function issueRecords(name: string, count: number) {
  const picture = await caller.upload(`${name}.png`, 'NON_ATTACHMENT_FILE', `picture of ${name}`);
  const names = Array.from({ length: count }, (_, i) => `${name}-${i}`);
  sentIds.push(...names);
  const input = { requestId: name, entries: names.map((one) => entry(info, one, { upload: picture })) };
  const { issueSRRs } = await caller.data(issue, { input });
  expect(issueSRRs.userErrors).toEqual([]);
  return { id: issueSRRs.issuance.id as string, status: issueSRRs.issuance.status as string, input };
}

const issuance = async (id: string) => (await caller.data(state, { id })).issuance;

/** Waits until the issuance is completed; a repeated call with its requestId must return the same one. */
async function expectCompleted(id: string, input: object): Promise<void> {
  // On a shared database, the lease of a killed process lasts for up to 15 s.
  await expect.poll(async () => (await issuance(id)).status, { timeout: 40_000 }).toBe('COMPLETED');
  const { entries } = await issuance(id);
  const nodes = entries.edges.map(({ node }: { node: object }) => node);
  for (const node of nodes)
    expect(node).toMatchObject({ status: 'ISSUED', srr: { tokenId: expect.stringMatching(/^\d+$/) } });
  const again = await caller.data(issue, { input });
  expect(again.issueSRRs).toMatchObject({ issuance: { id, status: 'COMPLETED' }, userErrors: [] });
}

/** Every mint on chain, as contract and token id. A mint is a Transfer from the zero address. */
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
  expect(seen).toHaveLength(sentIds.length);
  expect(new Set(seen).size, 'each token was minted once').toBe(seen.length);
}

/** Processes whose command line names the gateway's directory, such as its chain. */
function processesOn(directory: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(directory);
      } catch {
        return false; // The process has just ended.
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
] as const)('an issuance interrupted by $how', ({ signal, whom, npm, code }) => {
  it('completes once, although it waited for files and then for mining, and no process or port is left', async () => {
    await startFresh({ npm });
    const { id, status, input } = await issueRecords('twice', 3);
    expect(status).toBe('WAITING_FOR_FILES');
    // npm has its own exit codes for a stop.
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
    await gateway.stop('SIGINT', 'group');
    await expectNothingLeft();
  });
});

describe('a gateway that is killed', () => {
  // With these delays, an issuance takes about four seconds from the mutation to the outcome.
  const lives = Array.from({ length: 4 }, (_, i) => Math.round((i + Math.random()) * 1_000));

  it(`at random moments (after ${lives.join(', ')} ms) issues every record once`, async () => {
    await startFresh({ npm: false });
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
    // Allows for five starts of gateway, sandbox and chain, each of up to ten seconds beside other tests.
  }, 150_000);
});

describe('a start', () => {
  it('succeeds after earlier starts were interrupted at any moment', async () => {
    gateway = await gatewayProcess();
    onTestFinished(() => gateway.remove());
    // While loading, while creating the database, and while starting the chain.
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
