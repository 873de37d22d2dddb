import { control } from '@srr-gateway/sandbox/testing/control';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import type { Data } from '../_util/graphql-caller.ts';
import { connectMcp } from '../_util/mcp-client.ts';
import { missingDocuments } from '../_util/missing-documents.ts';

// Nothing listens on this port of loopback.
const closedUrl = 'http://127.0.0.1:9';

const records = `{
  viewer { issuer }
  srrs(first: 5) { edges { node { tokenId } } pageInfo { hasNextPage } }
  collections(first: 5) { edges { node { name } } }
  sources { kind health }
}`;

const mine = `query ($requestId: String!) {
  issuance(requestId: $requestId) { status entries { edges { node {
    status srr { tokenId indexing owner issuer { address } metadataStatus metadata { name } }
  } } } }
}`;

async function issueOne(gateway: TestGateway): Promise<void> {
  const picture = { upload: await gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
  await gateway.caller.data(
    `mutation ($input: IssueSRRsInput!) { issueSRRs(input: $input) { userErrors { message } } }`,
    { input: { requestId: 'r', entries: [entry(gateway.info, 'one', picture)] } },
  );
  const status = async () => (await gateway.caller.ask(mine, { requestId: 'r' })).data.issuance.status;
  await expect.poll(status, { timeout: 20_000 }).toBe('COMPLETED');
}

describe('with the subgraph down', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ upstreams: { subgraphUrls: [closedUrl] } });
  });
  afterAll(() => gateway.stop());

  it('lists are null with a typed error each, and the rest of the response is complete', async () => {
    const { data, errors } = await gateway.caller.ask(records);
    expect(data).toMatchObject({
      viewer: { issuer: gateway.issuer.address },
      srrs: { edges: null, pageInfo: { hasNextPage: false } },
      collections: { edges: null },
      sources: [
        { kind: 'COMMERCE', health: 'OK' },
        { kind: 'SUBGRAPH', health: 'DOWN' },
        { kind: 'IPFS', health: 'OK' },
        { kind: 'STORE', health: 'OK' },
      ],
    });
    expect(errors?.map(({ path, extensions }) => [path?.join('.'), extensions.code])).toEqual([
      ['srrs.edges', 'UPSTREAM_UNAVAILABLE'],
      ['collections.edges', 'UPSTREAM_UNAVAILABLE'],
    ]);
  });

  it('an object that cannot be loaded by its id is null with an error, and others are returned', async () => {
    const ids = [`LicensedUser:${gateway.issuer.address}`, 'SRR:registry/1', 'Viewer:none'].map((id) =>
      Buffer.from(id).toString('base64'),
    );
    const { data, errors } = await gateway.caller.ask(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename } }',
      {
        ids,
      },
    );
    expect(data).toEqual({ nodes: [null, { __typename: 'SRR' }, null] });
    expect(errors?.map(({ path, extensions }) => `${path?.join('.')} ${extensions.code}`).sort()).toEqual([
      'nodes.0 UPSTREAM_UNAVAILABLE',
      'nodes.2 INVALID_INPUT',
    ]);
    // A short request must not cause tens of thousands of errors.
    const many = Array.from({ length: 1_001 }, () => ids[2]);
    const all = await gateway.caller.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename } }', {
      ids: many,
    });
    expect(all.errors).toHaveLength(1);
  });

  it.each(['metadataCID', 'metadataUrl', 'metadata { name }'])(
    'a record of which only %s is selected has an error, because null alone would mean that it has none',
    async (field) => {
      const [name] = field.split(' ');
      const { data, errors } = await gateway.anonymous.ask(`{ srr(tokenId: "1") { ${field} } }`);
      expect(data).toEqual({ srr: { [name as string]: null } });
      expect(errors).toMatchObject([{ path: ['srr', name], extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    },
  );

  it('a record without its chain data may not be kept by a shared cache', async () => {
    const query = encodeURIComponent('{ srr(tokenId: "1") { indexing } }');
    const response = await fetch(`${gateway.app.url}/graphql?query=${query}`);
    expect(await response.json()).toEqual({ data: { srr: { indexing: 'UNAVAILABLE' } } });
    expect(response.headers.get('cache-control')).toBe('private, no-store');
  });

  it.each(['srrs', 'collections', 'licensedUsers'])(
    '%s fail when only pageInfo is selected, because an empty list would be wrong',
    async (list) => {
      const { data, errors } = await gateway.anonymous.ask(
        `{ ${list}(first: 0) { pageInfo { hasNextPage } } }`,
      );
      expect(data).toBeNull();
      expect(errors).toMatchObject([{ path: [list], extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    },
  );

  it('an issued record keeps its ids and metadata, and `indexing` says that chain data is unavailable', async () => {
    await issueOne(gateway);
    const { data, errors } = await gateway.caller.ask(mine, { requestId: 'r' });
    expect(data.issuance.entries.edges[0].node).toMatchObject({
      status: 'ISSUED',
      srr: {
        tokenId: expect.stringMatching(/^\d+$/),
        indexing: 'UNAVAILABLE',
        owner: null,
        issuer: null,
        metadataStatus: 'VERIFIED',
        metadata: { name: 'one' },
      },
    });
    // One fault is reported once, for all fields that it leaves empty.
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE');
    // Plain HTTP shows the record in its issuance. By token id, the gateway cannot know whether it exists.
    const { tokenId } = data.issuance.entries.edges[0].node.srr;
    const read = (path: string) => fetch(`${gateway.app.url}${path}`, { headers: gateway.caller.headers });
    expect(await (await read('/issuances/r')).json()).toMatchObject({
      entries: { items: [{ status: 'ISSUED', srr: { tokenId, indexing: 'UNAVAILABLE' } }] },
    });
    const unknown = await read(`/records/${tokenId}`);
    expect(unknown.status).toBe(503);
    expect(await unknown.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    // The same holds for an agent's tool.
    const agent = await connectMcp(gateway.app.url);
    const { isError, text } = await agent.call('get_record', { tokenId });
    expect({ isError, text }).toEqual({
      isError: true,
      text: expect.stringMatching(/^UPSTREAM_UNAVAILABLE: .*Next: Try again/),
    });
  });
});

describe('with the IPFS gateway down', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ upstreams: { ipfsGateways: [closedUrl] } });
  });
  afterAll(() => gateway.stop());

  it('a record keeps its chain data, and metadataStatus says why the metadata is missing', async () => {
    await issueOne(gateway);
    await expect
      .poll(async () => {
        const { issuance } = await gateway.caller.data(mine, { requestId: 'r' });
        return issuance.entries.edges[0].node.srr;
      })
      .toMatchObject({
        indexing: 'INDEXED',
        owner: gateway.issuer.address,
        metadata: null,
        metadataStatus: 'UNAVAILABLE',
      });
    // Plain HTTP shows the same, and no cache may store the incomplete response.
    const response = await fetch(`${gateway.app.url}/records?first=1`);
    expect(await response.json()).toMatchObject({
      items: [{ owner: gateway.issuer.address, metadata: null, metadataStatus: 'UNAVAILABLE' }],
    });
    expect(response.headers.get('cache-control')).toMatch(/^private, no-store/);
    expect(response.headers.has('etag')).toBe(false);
    // A missing document that is queried by its id must not be cached either.
    const [{ metadataCID }] = (
      await gateway.caller.data('{ srrs(first: 1) { edges { node { metadataCID } } } }')
    ).srrs.edges.map(({ node }: Data) => node);
    const id = Buffer.from(`SRRMetadata:${metadataCID}`).toString('base64');
    const query = encodeURIComponent(`{ node(id: "${id}") { id } }`);
    const { UNAVAILABLE: before = 0 } = await missingDocuments(gateway.app.url, 'caller');
    const byId = await fetch(`${gateway.app.url}/graphql?query=${query}`);
    expect(await byId.json()).toEqual({ data: { node: null } });
    expect(byId.headers.get('cache-control')).toMatch(/no-store/);
    expect(await missingDocuments(gateway.app.url, 'caller')).toEqual({ UNAVAILABLE: before + 1 });
  });
});

describe('with a subgraph that has indexing errors', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.stop());

  it('the indexed data is returned, and the source is DEGRADED', async () => {
    await issueOne(gateway);
    await control(gateway.sandbox.sandbox, 'settings', { indexingErrors: true });
    const { data, errors } = await gateway.caller.ask(`{
      srrs(first: 1) { edges { node {
        issuer { address } provenance(first: 1) { edges { node { to } } } metadata { name }
      } } }
      sources { kind health hasIndexingErrors }
    }`);
    expect(errors).toBeUndefined();
    expect(data.srrs.edges).toMatchObject([
      { node: { issuer: { address: gateway.issuer.address }, metadata: { name: 'one' } } },
    ]);
    expect(data.sources).toContainEqual({ kind: 'SUBGRAPH', health: 'DEGRADED', hasIndexingErrors: true });
  });
});
