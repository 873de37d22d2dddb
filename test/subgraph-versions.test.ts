import type { GraphQLSchema } from 'graphql';
import { expect, it } from 'vitest';
import { srrId } from '../src/clients/subgraph/subgraph.ts';
import { startTestGateway } from './_util/gateway.ts';
import { serveVersion, withLess, withMore } from './_util/subgraph-version.ts';

// Subgraphs older and newer than the one the gateway was written for, at the end of which stands a client.

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
const times = { createdAt: '1700000000000', createdAtStr: '', updatedAt: '1700000000000', updatedAtStr: '' };
const user = {
  id: address(1),
  walletAddress: address(1),
  threshold: 1,
  englishName: 'North Gallery',
  originalName: '北画廊',
  userType: 'handler',
  owners: [address(9)],
  salt: '0x00',
  ...times,
};
const collection = {
  id: address(2),
  name: 'Still Lifes',
  symbol: 'STL',
  salt: '0x00',
  ownerAddress: address(1),
  creatorAddress: address(1),
  ...times,
};

function record(
  idOf: (contract: string, tokenId: string) => string,
  registry: string,
  tokenId: string,
  own = false,
) {
  const id = idOf(own ? collection.id : registry, tokenId);
  const sale = { timestamp: '1700000000000', from: address(1), to: address(5), isIntermediary: false };
  return {
    id,
    tokenId,
    collection: own ? collection : null,
    issuer: user,
    artist: null,
    artistAddress: address(3),
    ownerAddress: address(5),
    metadataDigest: null,
    royaltyReceiver: address(3),
    royaltyBasisPoints: 1000,
    ...times,
    provenance: [
      { id: `${id}-p`, ...sale, metadataDigest: '', metadataURI: '', ...times, sender: address(5) },
    ],
    history: [],
    metadataHistory: [],
  };
}

const query = `query ($registry: Address!, $collection: Address!, $issuer: Address!) {
  one: srr(tokenId: "11") { ...Whole }
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
  royalty { percent } originChain createdAt
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
    // What it does not know is found out once.
    expect(server.refused).toEqual([]);
    return { data, server };
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
  originChain: null,
  createdAt: '2023-11-14T22:13:20.000Z',
  provenance: { edges: [{ node: { from: address(1), to: address(5), isIntermediary: false } }] },
  ...more,
});

it('a subgraph with more fields and types is read as it is, and never asked for its schema', async () => {
  const schema = withMore(`
    extend type SRR { rarity: Int! appraisals: [Appraisal!]! }
    extend type _Meta_ { network: String! }
    type Appraisal { id: ID! value: BigInt! }
    extend type Query { appraisals(first: Int): [Appraisal!]! }
  `);
  const { data, server } = await read(schema, srrId);
  expect(data.one).toEqual(whole('11'));
  expect(data.other).toEqual(whole('12', { collection: { name: 'Still Lifes' } }));
  expect(data.none).toBeNull();
  expect(data.collection).toMatchObject({
    creatorAddress: address(1),
    owner: { englishName: 'North Gallery' },
  });
  expect(server.received.some(({ body }) => body.includes('__schema'))).toBe(false);
});

it('a subgraph without optional fields is asked for the others, and those are null', async () => {
  const schema = withLess({
    fields: {
      Collection: ['creatorAddress', 'salt'],
      SRR: ['originChain', 'originTxHash', 'royaltyReceiver', 'royaltyBasisPoints', 'transferCommitment'],
      SRRProvenance: ['sender', 'isIntermediary'],
      LicensedUserWallet: ['originChain', 'salt'],
      _Block_: ['timestamp', 'parentHash'],
    },
  });
  const { data, server } = await read(schema, srrId);
  const provenance = { edges: [{ node: { from: address(1), to: address(5), isIntermediary: null } }] };
  expect(data.one).toEqual(whole('11', { royalty: null, provenance }));
  expect(data.collection).toMatchObject({ creatorAddress: null, owner: { englishName: 'North Gallery' } });
  expect(tokens(data.collected)).toEqual(['12']);
  expect(server.received.filter(({ body }) => body.includes('__schema')).length).toBeGreaterThan(0);
});

it('a subgraph from before there were collections, whose record ids are token ids, is read by those', async () => {
  const schema = withLess({
    types: ['Collection'],
    fields: { SRR: ['collection'], Query: ['collection', 'collections'] },
  });
  const { data } = await read(schema, (_contract, tokenId) => tokenId);
  expect(data.one).toEqual(whole('11'));
  expect([data.other, data.none, data.collection]).toEqual([null, null, null]);
  expect(tokens(data.all)).toEqual(['11', '14']);
  expect(tokens(data.registry)).toEqual(['14', '11']);
  expect(tokens(data.collected)).toEqual([]);
  expect(data.collections.edges).toEqual([]);
  expect(tokens(data.licensedUser.issuedSRRs)).toEqual(['14', '11']);
});

it('a subgraph without what records cannot do without is a typed error', async () => {
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
