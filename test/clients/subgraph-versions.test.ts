import { type GraphQLObjectType, type GraphQLSchema, getNamedType, isLeafType, isNonNullType } from 'graphql';
import { expect, it } from 'vitest';
import { required } from '../../src/clients/subgraph/older-schema.ts';
import { srrId } from '../../src/clients/subgraph/subgraph.ts';
import { schema as gatewaySchema } from '../../src/graphql/schema/schema.ts';
import { startTestGateway } from '../_util/gateway.ts';
import { reply, serve } from '../_util/http-server.ts';
import { anyRow, serveVersion, withLess, withMore, withRequired } from '../_util/subgraph-version.ts';

// Clients of a gateway whose subgraph is older or newer than the one that it was written for.

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
const user = {
  ...anyRow('LicensedUserWallet'),
  id: address(1),
  walletAddress: address(1),
  englishName: 'North Gallery',
};
const collection = {
  ...anyRow('Collection'),
  id: address(2),
  name: 'Still Lifes',
  ownerAddress: address(1),
  creatorAddress: address(1),
};

function record(
  idOf: (contract: string, tokenId: string) => string,
  registry: string,
  tokenId: string,
  own = false,
) {
  const id = idOf(own ? collection.id : registry, tokenId);
  const sale = { ...anyRow('SRRProvenance'), id: `${id}-p`, from: address(1), to: address(5) };
  return {
    ...anyRow('SRR'),
    id,
    tokenId,
    collection: own ? collection : null,
    issuer: user,
    artist: null,
    artistAddress: address(3),
    ownerAddress: address(5),
    metadataDigest: null,
    provenance: [sale],
    history: [],
    metadataHistory: [],
  };
}

/** The gateway's types that show rows of the subgraph, with the subgraph's types. */
const rowTypes: Record<string, string> = {
  SRR: 'SRR',
  Collection: 'Collection',
  LicensedUser: 'LicensedUserWallet',
  Provenance: 'SRRProvenance',
  MetadataHistory: 'SRRMetadataHistory',
  CustomHistory: 'CustomHistory',
};

/** The fields of a type that need a column which older subgraphs lack. */
const laterFields = (type: string) =>
  Object.values((gatewaySchema.getType(type) as GraphQLObjectType).getFields()).filter(
    ({ extensions: { columns } }) =>
      typeof columns === 'string' &&
      // Not counted: without the column `collection`, all records belong to the registry.
      columns
        .replace(/\bcollection {.*?}|{.*?}/g, '')
        .match(/\w+/g)
        ?.some((column) => !required[rowTypes[type] ?? '']?.includes(column)),
  );

const selectLater = (type: string) =>
  laterFields(type).map(({ name, type }) =>
    isLeafType(getNamedType(type)) ? name : `${name} { __typename }`,
  );

const query = `query ($registry: Address!, $collection: Address!, $issuer: Address!) {
  one: srr(tokenId: "11") { ...Whole }
  laterOfRecord: srr(tokenId: "11") { id ${selectLater('SRR')} }
  laterOfCollection: collection(address: $collection) { id ${selectLater('Collection')} }
  laterOfUser: licensedUser(address: $issuer) { id ${selectLater('LicensedUser')} }
  other: srr(tokenId: "12", collection: $collection) { ...Whole }
  none: srr(tokenId: "13") { tokenId }
  all: srrs(first: 10, orderBy: CREATED_AT_ASC) { edges { node { tokenId } } }
  registry: srrs(where: { collection: $registry }) { edges { node { tokenId } } }
  collected: srrs(where: { inRegistry: false }) { edges { node { tokenId } } }
  collection(address: $collection) { name creatorAddress owner { englishName } srrs { edges { node { tokenId } } } }
  collections { edges { node { name } } }
  licensedUser(address: $issuer) { englishName issuedSRRs { edges { node { tokenId } } } }
}
fragment Whole on SRR {
  tokenId indexing indexedAtBlock owner issuer { englishName } artistAddress collection { name }
  royalty { percent } createdAt
  provenance { edges { node { from to isIntermediary } } }
}`;

async function read(schema: GraphQLSchema, idOf: (contract: string, tokenId: string) => string) {
  let registry = '';
  const server = await serveVersion(schema, () => {
    const srrs = [record(idOf, registry, '11'), record(idOf, registry, '14')];
    if (schema.getType('Collection')) srrs.push(record(idOf, registry, '12', true));
    return { srrs, licensedUserWallets: [user], collections: [collection], customHistories: [] };
  });
  const gateway = await startTestGateway({ upstreams: { subgraphUrls: [server.url] } });
  try {
    registry = gateway.info.registryAddress;
    const variables = { registry, collection: collection.id, issuer: user.id };
    const data = await gateway.anonymous.data(query, variables);
    server.refused.length = 0;
    expect(await gateway.anonymous.data(`${query} # again`, variables)).toEqual(data);
    // The gateway learns only once which columns the subgraph lacks.
    expect(server.refused).toEqual([]);
    const { laterOfRecord, laterOfCollection, laterOfUser } = data;
    const later = [laterOfRecord, laterOfCollection, laterOfUser].flatMap((node) => {
      const { id: _, ...fields } = node ?? {};
      return Object.entries<unknown>(fields);
    });
    return { data, later, server };
  } finally {
    await gateway.stop();
  }
}

const tokens = (connection: { edges: { node: { tokenId: string } }[] }) =>
  connection.edges.map(({ node }) => node.tokenId);
const whole = (tokenId: string, more = {}) => ({
  tokenId,
  indexing: 'INDEXED',
  indexedAtBlock: '7',
  owner: address(5),
  issuer: { englishName: 'North Gallery' },
  artistAddress: address(3),
  collection: null,
  royalty: { percent: 10 },
  createdAt: '2023-11-14T22:13:20.000Z',
  provenance: { edges: [{ node: { from: address(1), to: address(5), isIntermediary: true } }] },
  ...more,
});

it('a subgraph with additional fields and types is read without introspection', async () => {
  const schema = withMore(`
    extend type SRR { rarity: Int! appraisals: [Appraisal!]! }
    extend type _Meta_ { network: String! }
    type Appraisal { id: ID! value: BigInt! }
    extend type Query { appraisals(first: Int): [Appraisal!]! }
  `);
  const { data, later, server } = await read(schema, srrId);
  expect(later.length).toBeGreaterThan(5);
  expect(
    later.filter(([, value]) => value === null),
    'These are null although their columns have values. If `anyRow` has none that fits, give `record` one.',
  ).toEqual([]);
  expect(data.one).toEqual(whole('11'));
  expect(data.other).toEqual(whole('12', { collection: { name: 'Still Lifes' } }));
  expect(data.none).toBeNull();
  expect(data.collection).toMatchObject({
    creatorAddress: address(1),
    owner: { englishName: 'North Gallery' },
  });
  expect(server.received.some(({ body }) => body.includes('__schema'))).toBe(false);
});

it('a subgraph without later columns is read, and their fields are null', async () => {
  const schema = withRequired({ relations: true });
  for (const [type, columns] of Object.entries(required))
    expect(Object.keys((schema.getType(type) as GraphQLObjectType).getFields()), type).toEqual(
      expect.arrayContaining([...columns]),
    );
  const { data, later, server } = await read(schema, srrId);
  const provenance = { edges: [{ node: { from: address(1), to: address(5), isIntermediary: null } }] };
  expect(data.one).toEqual(whole('11', { royalty: null, provenance }));
  expect(data.collection).toMatchObject({ creatorAddress: null, owner: { englishName: 'North Gallery' } });
  expect(later.filter(([, value]) => value !== null)).toEqual([]);
  expect(tokens(data.collected)).toEqual(['12']);
  expect(server.received.filter(({ body }) => body.includes('__schema')).length).toBeGreaterThan(0);
});

it('a subgraph without collections, whose record ids are token ids, is read by token id', async () => {
  const { data, later } = await read(withRequired({ relations: false }), (_contract, tokenId) => tokenId);
  expect(data.one).toEqual(whole('11', { royalty: null, provenance: { edges: [] } }));
  expect(later.filter(([, value]) => value !== null)).toEqual([]);
  expect([data.other, data.none, data.collection]).toEqual([null, null, null]);
  expect(tokens(data.all)).toEqual(['11', '14']);
  expect(tokens(data.registry)).toEqual(['14', '11']);
  expect(tokens(data.collected)).toEqual([]);
  expect(data.collections.edges).toEqual([]);
  expect(tokens(data.licensedUser.issuedSRRs)).toEqual(['14', '11']);
});

it('what an older second endpoint lacks is read again at the same block when the first is back', async () => {
  const rows = () => ({ srrs: [record(srrId, registry, '11')], licensedUserWallets: [user] });
  const newest = await serveVersion(withLess({ fields: {} }), rows);
  const older = await serveVersion(withRequired({ relations: true }), rows);
  let [registry, isDown] = ['', false];
  const first = await serve(async ({ body }, response) => {
    if (isDown) return reply(response, 503, {});
    const answer = await fetch(newest.url, { method: 'POST', body: new Uint8Array(body) });
    reply(response, 200, await answer.json());
  });
  const gateway = await startTestGateway({ upstreams: { subgraphUrls: [first.url, older.url] } });
  try {
    registry = gateway.info.registryAddress;
    const royalty = async () => {
      const url = `${gateway.app.url}/graphql?query={srr(tokenId:"11"){royalty{percent}}}`;
      const response = await fetch(url, { headers: { accept: 'application/json' } });
      const { data } = await response.json();
      return [data.srr?.royalty?.percent, response.headers.get('cache-control')];
    };
    isDown = true;
    // The first is executed by the GraphQL server, the second by its plan.
    for (let i = 0; i < 2; i++) expect(await royalty()).toEqual([undefined, 'private, no-store']);
    isDown = false;
    await expect.poll(royalty).toEqual([10, expect.stringContaining('public')]);
  } finally {
    await gateway.stop();
  }
});

it.each(Object.keys(rowTypes))('%s has no non-null field that needs a later column', (type) => {
  const broken = laterFields(type).filter((field) => isNonNullType(field.type));
  expect(
    broken.map(({ name }) => name),
    'On an older subgraph its column is null: make it nullable, or add the column to `required` of older-schema.ts.',
  ).toEqual([]);
});

it('a subgraph without required columns causes a typed error', async () => {
  const server = await serveVersion(withLess({ fields: { SRR: ['tokenId'] } }), () => ({ srrs: [] }));
  const gateway = await startTestGateway({ upstreams: { subgraphUrls: [server.url] } });
  try {
    const { data, errors } = await gateway.anonymous.ask('{ srrs { edges { node { tokenId } } } }');
    expect(data.srrs.edges).toBeNull();
    expect(errors?.[0]?.extensions.code).toMatch(/^UPSTREAM_/);
  } finally {
    await gateway.stop();
  }
});
