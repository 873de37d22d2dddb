import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CountedGateway, startCountedGateway } from '../_util/counting-upstreams.ts';
import type { Data } from '../_util/graphql-caller.ts';
import { startLoneGateway } from '../_util/lone-gateway.ts';
import { SeededRandom } from '../_util/seeded-random.ts';

// The queries of a supergraph router: `_service` for composition, `_entities` for joins. A supergraph of two
// composers and a router is in test/supergraph.

const entities = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on SRR { id tokenId owner metadata { title { text } } }
    ... on LicensedUser { id address englishName }
    ... on Collection { id address name }
  }
}`;
const seed = process.env.FEDERATION_SEED ?? String(Date.now());

let gateway: CountedGateway;
let records: Data[];
beforeAll(async () => {
  gateway = await startCountedGateway();
  const { srrs } = await gateway.anonymous.data(
    `{ srrs(first: 50) { edges { node {
      id tokenId owner collection { id address name } issuer { id address englishName }
    } } } }`,
  );
  records = srrs.edges.map(({ node }: Data) => node);
});
afterAll(() => gateway?.stop());

const found = async (representations: unknown[]) =>
  (await gateway.anonymous.data(entities, { representations }))._entities as Data[];

describe('a router', () => {
  it('reads the schema with its keys', async () => {
    const { _service } = await gateway.anonymous.data('{ _service { sdl } }');
    expect(_service.sdl).toBe(
      readFileSync(new URL('../../schema/federation.graphql', import.meta.url), 'utf8'),
    );
    for (const [type, keys] of [
      ['SRR', '@key(fields: "id") @key(fields: "tokenId collection { address }")'],
      ['LicensedUser', '@key(fields: "id") @key(fields: "address")'],
      ['Collection', '@key(fields: "id") @key(fields: "address")'],
    ])
      expect(_service.sdl).toContain(`type ${type} implements Node ${keys} {`);
    expect(_service.sdl).not.toMatch(/_Any|_Entity|_entities|@oneOf/);
  });

  it('finds entities by each of their keys, in the order of the representations', async () => {
    const inCollection = records.find(({ collection }) => collection);
    const inRegistry = records.find(({ collection }) => !collection);
    const { collection, issuer } = inCollection;
    const cases = [
      [{ __typename: 'SRR', id: inCollection.id }, { tokenId: inCollection.tokenId }],
      [
        { __typename: 'SRR', tokenId: inCollection.tokenId, collection: { address: collection.address } },
        { id: inCollection.id, owner: inCollection.owner },
      ],
      [{ __typename: 'SRR', tokenId: inRegistry.tokenId, collection: null }, { id: inRegistry.id }],
      [{ __typename: 'Collection', id: collection.id }, { name: collection.name }],
      [{ __typename: 'Collection', address: collection.address.toLowerCase() }, { id: collection.id }],
      [{ __typename: 'LicensedUser', id: issuer.id }, { englishName: issuer.englishName }],
      [{ __typename: 'LicensedUser', address: issuer.address }, { id: issuer.id }],
    ] as const;
    const answers = await found(cases.map(([representation]) => representation));
    for (const [i, [{ __typename }, expected]] of cases.entries())
      expect(answers[i]).toMatchObject({ __typename, ...expected });
  });

  it('finds a licensed user without selecting its id or address', async () => {
    const { address, englishName } = records[0].issuer;
    const query = `query ($representations: [_Any!]!) {
      _entities(representations: $representations) { __typename ... on LicensedUser { englishName } }
    }`;
    const representations = [{ __typename: 'LicensedUser', address }];
    const { _entities } = await gateway.anonymous.data(query, { representations });
    expect(_entities).toEqual([{ __typename: 'LicensedUser', englishName }]);
  });

  it('causes one subgraph request for 100 records, and none when it repeats the query', async () => {
    const unknown = Array.from({ length: 100 - records.length }, (_, i) => ({
      __typename: 'SRR',
      tokenId: String(i + 1),
      collection: null,
    }));
    const known = records.map(({ id }) => ({ __typename: 'SRR', id }));
    await gateway.moveBlock();
    const ask = () => found([...known, ...unknown]);
    let answers: Data[] = [];
    const cost = await gateway.costOf(async () => {
      answers = await ask();
    });
    expect(cost.subgraph).toEqual({ Srrs: 1 });
    expect(answers.map((one) => one?.id ?? null)).toEqual([
      ...records.map(({ id }) => id),
      ...unknown.map(() => null),
    ]);
    expect((await gateway.costOf(ask)).subgraph).toEqual({});
  });

  it('is charged for each representation towards the cost limit', async () => {
    const representations = Array.from({ length: 20_000 }, () => ({ __typename: 'SRR' }));
    const { errors } = await gateway.caller.ask(entities, { representations });
    expect(errors?.[0]?.extensions).toMatchObject({ limit: 'cost' });
  });
});

describe('an invalid representation', () => {
  it.each<[string, unknown, string[]]>([
    ['of an unknown type', { __typename: 'Nothing', id: 'x' }, ['__typename']],
    ['of a type without keys', { __typename: 'Query' }, ['__typename']],
    ['named like a property of every object', { __typename: 'toString' }, ['__typename']],
    ['without a type', { id: 'x' }, ['__typename']],
    ['that is not an object', 'SRR', []],
    ['that is a list', [], ['__typename']],
    ['without a key', { __typename: 'SRR' }, ['tokenId']],
    ['with an id of another type', { __typename: 'Collection', id: 'U1JSOng=' }, ['id']],
    ['with a malformed id', { __typename: 'SRR', id: '%' }, ['id']],
    ['with an id that is not a string', { __typename: 'SRR', id: { $ne: 1 } }, ['id']],
    ['with a malformed address', { __typename: 'LicensedUser', address: '0x1' }, ['address']],
    [
      'with a malformed collection',
      { __typename: 'SRR', tokenId: '1', collection: { address: 7 } },
      ['collection', 'address'],
    ],
  ])('%s fails alone, with its input path', async (_name, wrong, place) => {
    const good = { __typename: 'SRR', id: records[0].id };
    const { status, data, errors } = await gateway.anonymous.ask(entities, {
      representations: [good, wrong, good],
    });
    expect(status).toBe(200);
    expect(data._entities.map((one: Data) => one?.id ?? null)).toEqual([good.id, null, good.id]);
    expect(errors).toMatchObject([
      {
        path: ['_entities', 1],
        extensions: { code: 'INVALID_INPUT', inputPath: ['representations', '1', ...place] },
      },
    ]);
  });

  it('fails the whole field if there are more than a thousand', async () => {
    const ask = async (wrong: number) => {
      const representations = Array.from({ length: wrong }, () => 0);
      return gateway.anonymous.ask(
        'query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename } }',
        { representations },
      );
    };
    expect((await ask(1_000)).errors).toHaveLength(1_000);
    const { data, errors } = await ask(40_000);
    expect(data).toBeNull();
    expect(errors).toMatchObject([
      { path: ['_entities'], extensions: { code: 'INVALID_INPUT', inputPath: ['representations', '0'] } },
    ]);
  });

  it('with random content never fails the process or the other entities', async () => {
    const random = new SeededRandom(seed);
    const texts = [
      'SRR',
      'LicensedUser',
      'Collection',
      '_Any',
      '__proto__',
      'constructor',
      '',
      '\0',
      '😀',
      '-1',
    ];
    const value = (depth = 0): unknown => {
      const kind = random.integer(0, depth > 3 ? 4 : 7);
      if (kind < 3) return random.pick([...texts, records[0].id, records[0].owner, records[0].tokenId]);
      if (kind < 5) return random.pick([null, true, 0, -1, 1e308, 2 ** 53]);
      if (kind === 5) return Array.from({ length: random.integer(0, 3) }, () => value(depth + 1));
      const names = ['__typename', 'id', 'tokenId', 'collection', 'address', '__proto__', 'x'];
      return Object.fromEntries(
        names.filter(() => random.integer(0, 1)).map((name) => [name, value(depth + 1)]),
      );
    };
    const good = { __typename: 'SRR', id: records[0].id };
    for (let sent = 0; sent < 5_000; sent += 100) {
      const wrong = Array.from({ length: 100 }, () => value() ?? 'null');
      const {
        status,
        data,
        errors = [],
      } = await gateway.anonymous.ask(
        'query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename ... on SRR { id } } }',
        { representations: [...wrong, good] },
      );
      expect({ status, seed }).toEqual({ status: 200, seed });
      expect(data._entities.at(-1), `seed ${seed}`).toEqual(good);
      for (const { extensions } of errors)
        expect({ code: extensions.code, seed }).toEqual({ code: 'INVALID_INPUT', seed });
    }
  }, 60_000);
});

it('INTROSPECTION=off refuses _service, but not _entities', async () => {
  const closed = await startLoneGateway({ INTROSPECTION: 'off' });
  try {
    const { errors } = await closed.anonymous.ask('{ _service { sdl } }');
    expect(errors?.[0]?.message).toContain('introspection has been disabled');
    const representations = [{ __typename: 'Nothing' }];
    const answer = await closed.anonymous.ask(entities, { representations });
    expect(answer).toMatchObject({ data: { _entities: [null] }, errors: [{ path: ['_entities', 0] }] });
  } finally {
    await closed.stop();
  }
});
