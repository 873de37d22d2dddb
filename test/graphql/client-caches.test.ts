import {
  ApolloClient,
  gql,
  HttpLink,
  InMemoryCache,
  type InMemoryCacheConfig,
  type TypePolicies,
} from '@apollo/client';
import { possibleTypes, typePolicies } from '@srr-gateway/client/apollo';
import { schema as introspection, keys } from '@srr-gateway/client/graphcache';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { minifyIntrospectionQuery } from '@urql/introspection';
import { introspectionFromSchema } from 'graphql';
import {
  createOperationDescriptor,
  Environment,
  fetchQuery,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  type MockInstance,
  vi,
} from 'vitest';
import { schema } from '../../src/graphql/schema/schema.ts';
import { clientSnippets } from '../_util/client-snippets.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import type { Data } from '../_util/graphql-caller.ts';
import { type LoneGateway, loneToken, loneWebhookKey, startLoneGateway } from '../_util/lone-gateway.ts';
import { type Compiled, compileForRelay } from '../_util/relay-compiler.ts';
import { untilSeeded } from '../_util/seeded-world.ts';

// A list and a detail page select different fields of one document. The caches of front ends must keep both.

let gateway: TestGateway;
let warnings: MockInstance[];
let requests: number;
let tokenId: string;
let relay: Compiled;

/** Counts the requests of a client. */
const counting: typeof fetch = (input, init) => {
  requests++;
  return fetch(input, init);
};

beforeAll(async () => {
  gateway = await startTestGateway({ sandbox: { fixtures: true } });
  await untilSeeded(gateway.info);
  const { srrs } = await gateway.anonymous.data(
    '{ srrs(first: 5, where: { inRegistry: true }) { edges { node { tokenId metadataStatus provenance { edges { node { id } } } } } } }',
  );
  ({ tokenId } = srrs.edges.find(({ node }: Data) => node.metadataStatus === 'VERIFIED').node);
  relay = await compileForRelay([list, detail(), scroll]);
}, 120_000);
afterAll(async () => {
  await relay?.remove();
  await gateway?.stop();
});
beforeEach(() => {
  requests = 0;
  warnings = (['warn', 'error', 'info'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation(() => {}),
  );
});
afterEach(() => {
  for (const spy of warnings) spy.mockRestore();
});
const warned = () => warnings.flatMap((spy) => spy.mock.calls.map((args) => String(args[0])));

const list = `query PageListQuery {
  srrs(first: 5, where: { inRegistry: true }) { edges { node { id tokenId metadata { id name } } } }
}`;
const detail = () => `query PageDetailQuery {
  srr(tokenId: "${tokenId}") {
    id owner
    metadata { id title { text language } size { width } image { url } attachmentFiles { hash cid } }
    provenance { edges { node { id from to } } }
    metadataHistory { edges { node { id createdAt metadata { id medium { text } } } } }
  }
}`;

const apolloOfTheGuide = () => ({
  typePolicies: clientSnippets.typePolicies() as TypePolicies,
  possibleTypes,
});
const shortened = minifyIntrospectionQuery(introspectionFromSchema(schema));

const nameOf = (text: string) => /query (\w+)/.exec(text)?.[1] as string;

/** The query of a scrolling page in Relay. */
const scroll = `fragment Page_records on Query
  @argumentDefinitions(count: { type: "Int", defaultValue: 5 }, cursor: { type: "String" })
  @refetchable(queryName: "PageScrollQuery") {
  srrs(first: $count, after: $cursor) @connection(key: "Page_srrs") { edges { node { tokenId } } }
}`;

interface Cached {
  ask(text: string): Promise<Data>;
  /** Answers from the cache alone. */
  again(text: string): Promise<Data>;
}

interface Server {
  url: string;
  headers?: Record<string, string>;
}

function apollo(options?: InMemoryCacheConfig, { url, headers = {} }: Server = gateway.app): Cached {
  const link = new HttpLink({ uri: `${url}/graphql`, fetch: counting, headers });
  const client = new ApolloClient({ link, cache: new InMemoryCache(options) });
  const ask = async (text: string) => (await client.query({ query: gql(text) })).data;
  return { ask, again: ask };
}

function graphcache(options: object, { url, headers = {} }: Server = gateway.app): Cached {
  const exchanges = [cacheExchange(options), fetchExchange];
  const client = new Client({
    ...{ url: `${url}/graphql`, exchanges, fetch: counting, preferGetMethod: false },
    fetchOptions: { headers },
  });
  const ask = async (text: string) => {
    const { data, error } = await client.query(text, {}).toPromise();
    expect(error).toBeUndefined();
    return data;
  };
  return { ask, again: ask };
}

const clients: [name: string, make: () => Cached][] = [
  ['Apollo Client with its defaults', () => apollo()],
  ['Apollo Client with the settings of the package', () => apollo({ typePolicies, possibleTypes })],
  [
    'graphcache with the keys of the guide, and the schema',
    () => graphcache({ ...clientSnippets.graphcache(), schema: shortened }),
  ],
  ['graphcache with the keys and schema of the package', () => graphcache({ keys, schema: introspection })],
  [
    'Relay',
    () => {
      const network = Network.create(async ({ text }) => {
        const response = await counting(`${gateway.app.url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query: text }),
        });
        return (await response.json()) as never;
      });
      const environment = new Environment({ network, store: new Store(new RecordSource()) });
      return {
        ask: async (text) => {
          const request = await relay.request(nameOf(text));
          // Relay's garbage collection drops what no operation retains.
          environment.retain(createOperationDescriptor(request, {}));
          return fetchQuery(environment, request as never, {}).toPromise();
        },
        again: async (text) => {
          const operation = createOperationDescriptor(await relay.request(nameOf(text)), {});
          expect(environment.check(operation).status).toBe('available');
          const { data, isMissingData } = environment.lookup(operation.fragment) as Data;
          expect(isMissingData).toBe(false);
          return data;
        },
      };
    },
  ],
];

describe.each(clients)('%s', (_name, make) => {
  it('keeps the fields of a list and a detail page, without refetching or warnings', async () => {
    const client = make();
    const listed = JSON.parse(JSON.stringify(await client.ask(list)));
    const whole = JSON.parse(JSON.stringify(await client.ask(detail())));
    expect(whole.srr.metadata.title.text).not.toBe('');
    const [first] = listed.srrs.edges;
    expect(first.node.metadata.name).not.toBe('');
    expect(JSON.parse(JSON.stringify(await client.again(list)))).toEqual(listed);
    expect(JSON.parse(JSON.stringify(await client.again(detail())))).toEqual(whole);
    expect(requests).toBe(2);
    expect(warned()).toEqual([]);
  });
});

it('Relay’s compiler accepts the documents of a list, a detail and a scroll without a warning', () => {
  expect(relay.output).toContain('compiled documents: 4 reader, 3 normalization');
  expect(relay.output).not.toMatch(/warn|error/i);
});

it('Apollo Client merges objects without an id with the settings of the guide', async () => {
  const link = new HttpLink({ uri: `${gateway.app.url}/graphql`, fetch: counting });
  const client = new ApolloClient({ link, cache: new InMemoryCache(apolloOfTheGuide()) });
  const queries = ['text', 'all'].map((part) =>
    gql(
      `{ srr(tokenId: "${tokenId}") { id metadata { id title { ${part} } size { ${part === 'text' ? 'width' : 'unit'} } } } }`,
    ),
  );
  const first = [];
  for (const query of queries) first.push((await client.query({ query })).data);
  const second = [];
  for (const query of queries) second.push((await client.query({ query })).data);
  expect(second).toEqual(first);
  expect(requests).toBe(2);
  expect(warned()).toEqual([]);
});

describe('a fragment on an interface, with the settings of the guide', () => {
  let lone: LoneGateway;
  beforeAll(async () => {
    lone = await startLoneGateway();
    const response = await fetch(`${lone.address}/webhooks/commerce`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': loneWebhookKey },
      body: JSON.stringify({ type: 'issue_failed', data: [{ externalId: 'a' }] }),
    });
    expect(response.status).toBe(200);
  });
  afterAll(() => lone?.stop());
  const server = () => ({ url: lone.address, headers: { authorization: `Bearer ${loneToken}` } });

  it.each<[name: string, make: () => Cached]>([
    ['Apollo Client', () => apollo(apolloOfTheGuide(), server())],
    ['graphcache', () => graphcache({ ...clientSnippets.graphcache(), schema: shortened }, server())],
  ])('keeps its fields in %s', async (_name, make) => {
    const client = make();
    const query = (fields: string) =>
      `{ events(first: 1) { edges { cursor node { __typename ... on Event { ${fields} } } } } }`;
    await client.ask(query('id'));
    const [{ cursor, node }] = (await client.ask(query('id cursor'))).events.edges;
    expect(node).toMatchObject({ __typename: 'SRRFailed', id: expect.any(String), cursor });
    expect(warned()).toEqual([]);
  });
});

describe('an id', () => {
  it('of a document finds the document as a node', async () => {
    const { srrs } = await gateway.anonymous.data(
      '{ srrs(first: 200) { edges { node { metadataCID metadata { id name raw } } } } }',
    );
    const documents = srrs.edges.map(({ node }: Data) => node.metadata).filter(Boolean);
    const { nodes } = await gateway.anonymous.data(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on SRRMetadata { name raw } } }',
      { ids: documents.map(({ id }: Data) => id) },
    );
    expect(nodes).toEqual(documents.map((one: Data) => ({ __typename: 'SRRMetadata', ...one })));
    const [{ node }] = srrs.edges;
    const { metadata } = await gateway.anonymous.data(
      'query ($cid: CID!) { metadata(cid: $cid) { metadata { id } } }',
      { cid: node.metadataCID },
    );
    expect(metadata.metadata.id).toBe(node.metadata.id);
  });

  it.each(['SRRMetadata:x', 'SRRMetadata:../etc', `SRRMetadata:0x${'0'.repeat(64)}/x/1`])(
    'that names no document (%s) gives a null node',
    async (id) => {
      const { node } = await gateway.anonymous.data('query ($id: ID!) { node(id: $id) { id } }', {
        id: Buffer.from(id).toString('base64'),
      });
      expect(node).toBeNull();
    },
  );

  it('is the same in every response, also for the viewer and the sources', async () => {
    const text = '{ viewer { id } sources { id kind } }';
    const [one, other] = [await gateway.caller.data(text), await gateway.caller.data(text)];
    expect(one).toEqual(other);
    expect(new Set(one.sources.map(({ id }: Data) => id)).size).toBe(one.sources.length);
  });
});

describe('the schema', () => {
  it('names the specification of each scalar', () => {
    // Federation defines _Any without a specification.
    const others = ['ID', 'Int', 'Float', 'String', 'Boolean', '_Any'];
    const own = Object.values(schema.getTypeMap()).filter(
      (type) => 'specifiedByURL' in type && !others.includes(type.name),
    );
    expect(own.length).toBeGreaterThan(5);
    for (const type of own)
      expect(type, type.name).toHaveProperty('specifiedByURL', expect.stringMatching(/^https:/));
  });

  it('says of each list in which directions it can be paged', () => {
    const lists = Object.values(schema.getTypeMap()).flatMap((type) =>
      'getFields' in type
        ? Object.values(type.getFields()).filter(
            (field) => 'args' in field && /Connection!?$/.test(String(field.type)),
          )
        : [],
    );
    expect(lists.length).toBeGreaterThan(12);
    for (const { name, description } of lists)
      expect(description, name).toMatch(/Pages go forward (only )?\(/);
  });

  it('is served as text, with an ETag for conditional requests', async () => {
    const url = `${gateway.app.url}/schema.graphql`;
    const response = await fetch(url);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; charset=utf-8',
    ]);
    expect(await response.text()).toContain('type SRRMetadata implements Node');
    const etag = response.headers.get('etag') as string;
    expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  });
});
