import { createPublicClient, http, parseAbiItem } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry } from './_util/entries.ts';
import { startTestGateway, type TestGateway } from './_util/gateway.ts';

const issue = `mutation ($input: IssueSRRsInput!) {
  issueSRRs(input: $input) { issuance { id } userErrors { code message } }
}`;

const outcome = `query ($id: ID!) { issuance(id: $id) {
  status history { status }
  entries { edges { node { status outcomeSource error { code } srr { tokenId contractAddress } } } }
} }`;

describe('a request whose answer is lost', () => {
  let gateway: TestGateway;
  let picture: { upload: string };

  beforeAll(async () => {
    gateway = await startTestGateway({
      // Short, so that what no webhook tells is soon looked for on chain.
      env: { ISSUE_TIMEOUT: '5', RECONCILE_AFTER: '2' },
    });
    picture = { upload: await gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
  });
  afterAll(() => gateway.stop());

  async function control(path: string, body: object) {
    const response = await fetch(`${gateway.info.commerceUrl}/sandbox/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.ok).toBe(true);
  }
  const arm = (fault: object) => control('faults', fault);

  /** Issues two records and waits for the end of it. */
  async function issueAndWait(name: string) {
    // An outcome that is told first would show by itself what became of the request.
    await control('settings', { webhooksPaused: true });
    const entries = [`${name}-a`, `${name}-b`].map((one) => entry(gateway.info, one, picture));
    const { issueSRRs } = await gateway.caller.data(issue, { input: { entries } });
    expect(issueSRRs.userErrors).toEqual([]);
    const read = async () =>
      (await gateway.caller.data(outcome, { id: issueSRRs.issuance.id })).issuance as {
        status: string;
        history: { status: string }[];
        entries: { edges: { node: { status: string; outcomeSource: string; srr: { tokenId: string } } }[] };
      };
    const until = { timeout: 40_000, interval: 100 };
    await expect
      .poll(async () => (await read()).history.map(({ status }) => status), until)
      .toContain('OUTCOME_UNKNOWN');
    await control('settings', { webhooksPaused: false });
    await expect.poll(async () => (await read()).status, until).toBe('COMPLETED');
    const issuance = await read();
    return { entries: issuance.entries.edges.map(({ node }) => node) };
  }

  /** How often each of these tokens was minted, as the chain itself tells. */
  async function mints(tokenIds: string[]): Promise<number[]> {
    const chain = createPublicClient({ transport: http(gateway.info.rpcUrl) });
    const logs = await chain.getLogs({
      event: parseAbiItem(
        'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
      ),
      args: { from: '0x0000000000000000000000000000000000000000' },
      fromBlock: 0n,
    });
    return tokenIds.map((tokenId) => logs.filter(({ args }) => String(args.tokenId) === tokenId).length);
  }

  it.each([
    ['the connection is cut after it was processed', { effect: 'drop', when: 'after' }],
    ['the connection is cut before it was processed', { effect: 'drop', when: 'before' }],
    ['502 comes after it was processed', { effect: '502', when: 'after' }],
    ['502 comes before it was processed', { effect: '502', when: 'before' }],
    ['the answer is lost twice', { effect: 'drop', when: 'after', times: 2 }],
  ])('ends final and true with one issuance: %s', async (name, fault) => {
    await arm({ kind: 'response', route: 'srrs', ...fault });
    const { entries } = await issueAndWait(name.replaceAll(' ', '-'));
    expect(entries.map(({ status }) => status)).toEqual(['ISSUED', 'ISSUED']);
    expect(await mints(entries.map(({ srr }) => srr.tokenId))).toEqual([1, 1]);
  });

  it('is found on chain when its webhooks are lost as well', async () => {
    await arm({ kind: 'response', route: 'srrs', effect: 'drop', when: 'after' });
    await arm({ kind: 'webhook', effect: 'drop', times: 10 });
    const { entries } = await issueAndWait('all-lost');
    expect(entries.map(({ status, outcomeSource }) => [status, outcomeSource])).toEqual([
      ['ISSUED', 'SUBGRAPH'],
      ['ISSUED', 'SUBGRAPH'],
    ]);
    expect(await mints(entries.map(({ srr }) => srr.tokenId))).toEqual([1, 1]);
    await fetch(`${gateway.info.commerceUrl}/sandbox/faults`, { method: 'DELETE' });
  });
});
