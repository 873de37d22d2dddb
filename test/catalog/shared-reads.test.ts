import { control } from '@srr-gateway/sandbox/testing/control';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { finalOutcome, issue, outcomeOf } from '../_util/issuances.ts';
import { type RecordingProxy, startRecordingProxy } from '../_util/recording-proxy.ts';

const page = `query ($first: Int) { srrs(first: $first, orderBy: CREATED_AT_DESC) { edges { node {
  tokenId owner metadataStatus metadata { name title { text } } issuance { externalId }
} } } }`;

let gateway: TestGateway;
let index: RecordingProxy;
let picture: { upload: string };

beforeAll(async () => {
  index = await startRecordingProxy();
  gateway = await startTestGateway({ upstreams: { subgraphUrls: [`${index.url}/subgraph`] } });
  index.target = gateway.info.commerceUrl;
  picture = { upload: await gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
});
afterAll(async () => {
  await gateway?.stop();
  await index.stop();
});

let minted = 0;
/** The name of the record that was minted last. */
let latest: string;

async function mint(): Promise<string> {
  const name = `work ${++minted}`;
  const id = await issue(gateway.caller, { entries: [entry(gateway.info, name, picture)] });
  expect((await finalOutcome(gateway.caller, id)).status).toBe('COMPLETED');
  latest = name;
  return name;
}

/** The number of subgraph queries for records, without the poll of the newest block. */
const recordQueries = () => index.calls.filter(({ body }) => !body.query.startsWith('query Meta')).length;

async function newest(caller = gateway.anonymous, variables = { first: 5 }) {
  const { srrs } = await caller.data(page, variables);
  return srrs.edges.map(({ node }: { node: unknown }) => node);
}

const pollOptions = { timeout: 10_000, interval: 50 };

describe('an anonymous read', () => {
  it('needs no request to the subgraph until there is a new block', async () => {
    const first = await mint();
    await expect.poll(async () => (await newest())[0]?.metadata?.name, pollOptions).toBe(first);
    index.clear();
    const [before, again] = [await newest(), await newest()];
    expect(again).toEqual(before);
    expect(recordQueries()).toBe(0);
    const second = await mint();
    await expect.poll(async () => (await newest())[0]?.metadata?.name, pollOptions).toBe(second);
  });

  it('is not shared between different variables, or with an issuer', async () => {
    expect(await newest(gateway.anonymous, { first: 1 })).toHaveLength(1);
    expect(await newest(gateway.anonymous, { first: 2 })).toHaveLength(2);
    expect((await newest(gateway.anonymous))[0].issuance).toBeNull();
    expect((await newest(gateway.caller))[0].issuance).toEqual({ externalId: latest });
    expect((await newest(gateway.anonymous))[0].issuance).toBeNull();
  });

  it('is not shared between languages', async () => {
    const text = async (language: string) => {
      const response = await fetch(`${gateway.app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'accept-language': language },
        body: JSON.stringify({ query: page, variables: { first: 1 } }),
      });
      const { data } = (await response.json()) as {
        data: { srrs: { edges: [{ node: { metadata: { title: { text: string } } } }] } };
      };
      return data.srrs.edges[0].node.metadata.title.text;
    };
    expect([await text('ja'), await text('en'), await text('ja')]).toEqual([
      '無題',
      `Title of ${latest}`,
      '無題',
    ]);
  });

  it('without its metadata is not cached, and is complete as soon as the IPFS gateway recovers', async () => {
    await control(gateway.sandbox.sandbox, 'faults', { kind: 'content', effect: 'gone', times: 20 });
    const third = await mint();
    await expect
      .poll(async () => {
        const [first] = await newest();
        return [first?.tokenId !== undefined, first?.metadata];
      }, pollOptions)
      .toEqual([true, null]);
    await fetch(`${gateway.info.commerceUrl}/sandbox/faults`, { method: 'DELETE' });
    await expect.poll(async () => (await newest())[0]?.metadata?.name, { timeout: 40_000 }).toBe(third);
  });
});

describe('a public read of an issuer', () => {
  it('shows its own record to the issuer only, also among simultaneous equal queries', async () => {
    const lagging = await startTestGateway({ sandbox: { indexLagMs: 600_000 } });
    try {
      const { caller, anonymous, info } = lagging;
      const image = { upload: await caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
      const id = await issue(caller, { entries: [entry(info, 'unseen', image)] });
      const tokenId = async () => (await outcomeOf(caller, id)).entries[0]?.srr?.tokenId;
      await expect.poll(tokenId, pollOptions).toBeDefined();
      const record = 'query ($tokenId: TokenId!) { srr(tokenId: $tokenId) { indexing metadata { name } } }';
      const variables = { tokenId: await tokenId() };
      const ask = (who: typeof caller) => who.data(record, variables).then(({ srr }) => srr);
      const mine = { indexing: 'NOT_YET_INDEXED', metadata: { name: 'unseen' } };
      expect(await Promise.all([ask(caller), ask(anonymous), ask(caller), ask(anonymous)])).toEqual([
        mine,
        null,
        mine,
        null,
      ]);
    } finally {
      await lagging.stop();
    }
  });
});
