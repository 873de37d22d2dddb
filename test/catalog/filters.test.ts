import { type GraphQLSchema, isInputObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { srrId } from '../../src/clients/subgraph/subgraph.ts';
import { schema } from '../../src/graphql/schema/schema.ts';
import { type CountedGateway, startCountedGateway } from '../_util/counting-upstreams.ts';
import { startTestGateway } from '../_util/gateway.ts';
import type { Data, GraphQLCaller } from '../_util/graphql-caller.ts';
import { expectTrue, lists, nodesOf, readTruth, someOf, type Truth } from '../_util/registry-truth.ts';
import { SeededRandom } from '../_util/seeded-random.ts';
import { untilSeeded } from '../_util/seeded-world.ts';
import { serveVersion, withLess, withMore } from '../_util/subgraph-version.ts';

// Compares each filter, order and list with all rows, filtered here: over the subgraph of the sandbox, and over
// subgraphs with older and newer schemas.

/** FILTER_SEED repeats a run that failed. */
const seed = process.env.FILTER_SEED ?? '20261122';
const names = ['srrs', 'licensedUsers', 'collections'] as const;

describe('over the sandbox', () => {
  let gateway: CountedGateway;
  let truth: Truth;
  beforeAll(async () => {
    gateway = await startCountedGateway({ env: { RATE_LIMIT: '0' } });
    await untilSeeded(gateway.info);
    truth = await readTruth(gateway.anonymous, gateway.info.registryAddress);
  }, 120_000);
  afterAll(() => gateway?.stop());

  it.each(names)('%s match a filter over all rows', { timeout: 120_000 }, async (name) => {
    const random = new SeededRandom(`${seed} ${name}`);
    const conditions = lists[name].random(truth, random);
    let found = 0;
    // Each condition alone, and then random combinations.
    for (const [condition, value] of Object.entries(conditions))
      for (let n = 0; n < 3; n++)
        found += await expectTrue(gateway.anonymous, truth, name, random, { [condition]: value() });
    for (let n = 0; n < 25; n++)
      found += await expectTrue(gateway.anonymous, truth, name, random, someOf(random, conditions));
    // A test whose lists are all empty would prove nothing.
    expect(found).toBeGreaterThan(20);
  });

  it('every condition in the schema is tested', () => {
    const fieldsOf = (input: string) => {
      const type = schema.getType(input);
      return isInputObjectType(type) ? Object.keys(type.getFields()) : [];
    };
    const tried = (name: keyof typeof lists) => Object.keys(lists[name].tests).toSorted();
    const missing =
      'a condition without a test: give it one, and random values, in test/_util/registry-truth.ts';
    expect(tried('licensedUsers'), missing).toEqual(fieldsOf('LicensedUserFilter').toSorted());
    expect(tried('collections'), missing).toEqual(fieldsOf('CollectionFilter').toSorted());
    // test/catalog/catalog.test.ts tries these.
    const elsewhere = [
      'artist',
      'collection',
      'createdBefore',
      'isPrimaryIssuer',
      'issuer',
      'lockExternalTransfer',
      'metadataCIDs',
      'owner',
      'tokenIds',
    ];
    const all = [...tried('srrs'), ...elsewhere];
    expect(all.toSorted(), missing).toEqual(fieldsOf('SRRFilter').toSorted());
  });

  it('works of artists and records of a history match a filter over all rows', () =>
    expectWorksAndShows(gateway.anonymous, truth));

  it('records of a history take one request', async () => {
    const [show] = truth.records.flatMap(({ customHistories }) => nodesOf(customHistories));
    await gateway.moveBlock();
    const { subgraph: requests } = await gateway.costOf(() =>
      gateway.anonymous.data(
        'query ($id: ID!) { node(id: $id) { ... on CustomHistory { srrs(first: 20) { edges { node { tokenId } } } } } }',
        { id: show.id },
      ),
    );
    expect(requests).toEqual({ CustomHistories: 1, Srrs: 1 });
  });

  it.each([
    [
      'licensedUsers(where: { nameContains: "a" }, orderBy: NAME_ASC) { edges { node { englishName works(first: 3) { edges { node { tokenId } } } } } }',
      { LicensedUsers: 1, Srrs: 1 },
    ],
    [
      'collections(orderBy: NAME_DESC, where: { nameContains: "a" }) { edges { node { name } } pageInfo { endCursor } }',
      { Collections: 1 },
    ],
    [
      'srrs(where: { artistNameContains: "a", updatedAfter: "2024-01-01T00:00:00Z" }) { edges { node { tokenId artist { englishName } } } }',
      { Srrs: 1 },
    ],
  ])('%s takes one request for each list', async (field, subgraph) => {
    await gateway.moveBlock();
    const { subgraph: requests } = await gateway.costOf(() => gateway.anonymous.data(`{ ${field} }`));
    expect(requests).toEqual(subgraph);
  });

  const nul = 'a\u0000b';
  it.each([
    ['srrs', 'SRRFilter', { artistNameContains: nul }, ['where', 'artistNameContains']],
    [
      'srrs',
      'SRRFilter',
      { or: [{}, { artistNameContains: nul }] },
      ['where', 'or', '1', 'artistNameContains'],
    ],
    ['srrs', 'SRRFilter', { owners: ['0x12'] }, ['where', 'owners', '0']],
    ['srrs', 'SRRFilter', { updatedAfter: 'yesterday' }, ['where', 'updatedAfter']],
    ['licensedUsers', 'LicensedUserFilter', { nameContains: nul }, ['where', 'nameContains']],
    ['licensedUsers', 'LicensedUserFilter', { userType: nul }, ['where', 'userType']],
    ['licensedUsers', 'LicensedUserFilter', { addresses: ['x'] }, ['where', 'addresses', '0']],
    ['collections', 'CollectionFilter', { creator: 'x' }, ['where', 'creator']],
  ])('%s refuse an invalid value with its input path: %s %o', async (name, type, where, path) => {
    const text = `query ($where: ${type}) { ${name}(where: $where) { edges { node { id } } } }`;
    const { errors } = await gateway.anonymous.ask(text, { where });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_INPUT', inputPath: path });
  });

  it('lists refuse cursors of another list or order, and forged ones', async () => {
    const text = (order: string) =>
      `query ($after: String) { licensedUsers(first: 2, after: $after, orderBy: ${order}) { pageInfo { endCursor } } }`;
    const { licensedUsers } = await gateway.anonymous.data(text('NAME_ASC'));
    const refused = [{ extensions: { code: 'INVALID_INPUT', inputPath: ['after'] } }];
    const after = licensedUsers.pageInfo.endCursor;
    expect((await gateway.anonymous.ask(text('CREATED_AT_ASC'), { after })).errors).toMatchObject(refused);
    const { srrs } = await gateway.anonymous.data(
      '{ srrs(orderBy: CREATED_AT_ASC) { pageInfo { endCursor } } }',
    );
    const other = { after: srrs.pageInfo.endCursor };
    expect((await gateway.anonymous.ask(text('CREATED_AT_ASC'), other)).errors).toMatchObject(refused);
    const forged = Buffer.from(JSON.stringify(['createdAt', 1, null, 'a name', '0x1'])).toString('base64url');
    const answer = await gateway.anonymous.ask(text('CREATED_AT_ASC'), { after: forged });
    expect(answer.errors).toMatchObject(refused);
  });

  it('a long list of values counts towards the cost limit', async () => {
    const owners = Array.from({ length: 6_000 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`);
    const { errors } = await gateway.caller.ask(
      'query ($owners: [Address!]) { srrs(where: { owners: $owners }) { edges { node { id } } } }',
      { owners },
    );
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'cost' });
  });
});

/** Compares the works of artists and the records of histories with all rows. */
async function expectWorksAndShows(caller: GraphQLCaller, { records, users }: Truth): Promise<void> {
  const ids = (connection: Data) => nodesOf(connection).map(({ id }: Data) => id);
  const histories = [...new Set(records.flatMap(({ customHistories }) => ids(customHistories)))];
  const { artists, shows } = await caller.data(
    `query ($artists: [ID!]!, $shows: [ID!]!) {
      artists: nodes(ids: $artists) { ... on LicensedUser { address works(first: 300, orderBy: CREATED_AT_ASC) { edges { node { id createdAt } } } } }
      shows: nodes(ids: $shows) { ... on CustomHistory { id srrs(first: 300) { edges { node { id } } } } }
    }`,
    { artists: users.slice(0, 6).map(({ id }) => id), shows: histories.slice(0, 10) },
  );
  let works = 0;
  for (const artist of artists) {
    const expected = records.filter(({ artistAddress }) => artistAddress === artist.address);
    expect(ids(artist.works).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
    const minted = nodesOf(artist.works).map(({ createdAt }: Data) => createdAt);
    expect(minted).toEqual(minted.toSorted());
    works += expected.length;
  }
  for (const show of shows) {
    const expected = records.filter(({ customHistories }) => ids(customHistories).includes(show.id));
    expect(ids(show.srrs).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
  }
  // A test whose lists are all empty would prove nothing.
  expect(works).toBeGreaterThan(0);
  expect(shows.length).toBeGreaterThan(0);
}

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;

/** Random rows, several of which share names, times and people. */
function randomRows(registry: string, random: SeededRandom, { collected = true, tokenIdAsId = false } = {}) {
  const time = () => String(1_700_000_000_000 + random.integer(0, 40) * 1_000);
  const stamp = () => ({ createdAt: time(), createdAtStr: '', updatedAt: time(), updatedAtStr: '' });
  const name = () => random.pick(['North', 'south', 'Éva', '北画廊', 'O’Hara', 'north %', 'So_uth', '']);
  const licensedUserWallets = Array.from({ length: 25 }, (_, i) => ({
    id: address(100 + i),
    walletAddress: address(100 + i),
    threshold: 1,
    englishName: `${name()} ${name()}`,
    originalName: name(),
    userType: random.pick(['handler', 'artist']),
    owners: [],
    salt: '0x00',
    ...stamp(),
  }));
  const collections = Array.from({ length: collected ? 20 : 0 }, (_, i) => ({
    id: address(500 + i),
    name: `${name()} ${name()}`,
    symbol: 'S',
    salt: '0x00',
    ownerAddress: random.pick(licensedUserWallets).id,
    creatorAddress: random.pick(licensedUserWallets).id,
    ...stamp(),
  }));
  const customHistories = Array.from({ length: 4 }, (_, i) => ({
    id: `show-${i}`,
    historyType: { id: '1', name: 'exhibition', ...stamp() },
    name: name(),
    metadataDigest: '',
    ...stamp(),
  }));
  const srrs = Array.from({ length: 150 }, (_, i) => {
    const tokenId = String(1_000 + i);
    const collection = collected && random.chance(0.5) ? random.pick(collections) : null;
    const artist = random.chance(0.7) ? random.pick(licensedUserWallets) : null;
    return {
      id: tokenIdAsId ? tokenId : srrId(collection?.id ?? registry, tokenId),
      tokenId,
      collection,
      artist,
      artistAddress: artist?.id ?? address(9),
      issuer: random.pick(licensedUserWallets),
      ownerAddress: random.pick(licensedUserWallets).id,
      metadataDigest: null,
      ...stamp(),
      provenance: [],
      history: customHistories
        .filter(() => random.chance(0.3))
        .map((customHistory) => ({ id: `${i}-${customHistory.id}`, customHistory, ...stamp() })),
      metadataHistory: [],
    };
  });
  return { srrs, licensedUserWallets, collections, customHistories };
}

const noCollections = withLess({
  types: ['Collection'],
  fields: { SRR: ['collection'], Query: ['collection', 'collections'] },
});
const noCreators = withLess({ fields: { Collection: ['creatorAddress', 'salt'], _Block_: ['timestamp'] } });
const versions: [string, GraphQLSchema, { collected?: boolean; tokenIdAsId?: boolean }, string[]][] = [
  ['with more fields', withMore('extend type SRR { rarity: Int }'), {}, []],
  ['that does not know who created a collection', noCreators, {}, ['creator']],
  ['from before there were collections', noCollections, { collected: false, tokenIdAsId: true }, []],
];

describe.each(versions)('over a subgraph %s', (version, schema, options, unknown) => {
  it('lists match a filter over all rows', { timeout: 60_000 }, async () => {
    const random = new SeededRandom(`${seed} ${version}`);
    let rows: ReturnType<typeof randomRows> | undefined;
    const server = await serveVersion(schema, () => rows ?? { srrs: [], licensedUserWallets: [] });
    const gateway = await startTestGateway({
      env: { RATE_LIMIT: '0' },
      upstreams: { subgraphUrls: [server.url] },
    });
    onTestFinished(() => gateway.stop());
    const registry = gateway.info.registryAddress;
    rows = randomRows(registry.toLowerCase(), random, options);
    const truth = await readTruth(gateway.anonymous, registry);
    expect([truth.records.length, truth.users.length]).toEqual([150, 25]);
    expect(truth.collections.length).toBe(rows.collections.length);
    for (const name of names) {
      if (lists[name].rows(truth).length === 0) continue;
      const conditions = lists[name].random(truth, random);
      for (const condition of unknown) delete conditions[condition];
      for (let n = 0; n < 20; n++)
        await expectTrue(gateway.anonymous, truth, name, random, someOf(random, conditions));
    }
    await expectWorksAndShows(gateway.anonymous, truth);
    // A condition that the subgraph does not have is an error, never an empty list.
    for (const condition of unknown) {
      const where = { [condition]: address(100) };
      const text =
        'query ($where: CollectionFilter) { collections(where: $where) { edges { node { name } } } }';
      const { data, errors } = await gateway.anonymous.ask(text, { where });
      expect(data.collections.edges).toBeNull();
      expect(errors?.[0]?.extensions.code).toMatch(/^UPSTREAM_/);
    }
  });
});
