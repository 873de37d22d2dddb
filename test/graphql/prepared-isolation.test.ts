import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { Client } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { schema } from '../../src/graphql/schema/schema.ts';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { issue, outcomeOf } from '../_util/issuances.ts';

// Prepared plans, shared executions and cached responses show nobody another caller's data: three callers
// send the same queries, in which each issuer may see its own entry only.

const page = `query ($first: Int) { srrs(first: $first) { edges { node { tokenId issuance { externalId } } } } }`;
const shared = `query ($first: Int) { srrs(first: $first) { edges { node { tokenId owner } } } }`;

let gateway: TestGateway;
/** Each caller with its Authorization header and the entries that it may see. */
let callers: { name: string; authorization: string | undefined; sees: string[] }[];

beforeAll(async () => {
  gateway = await startTestGateway({ env: { RATE_LIMIT: '0' } });
  const tokens = [testToken, `${testToken}-1`];
  for (const [i, token] of tokens.entries()) {
    const caller = new GraphQLCaller(gateway.app.url, { authorization: `Bearer ${token}` });
    const info = { ...gateway.info, issuers: gateway.info.issuers.slice(i) };
    const picture = {
      upload: await caller.upload(`picture-${i}.png`, 'NON_ATTACHMENT_FILE', `picture ${i}`),
    };
    const id = await issue(caller, { entries: [entry(info, `of-${i}`, picture)] });
    await vi.waitUntil(async () => (await outcomeOf(caller, id)).status === 'COMPLETED', { timeout: 40_000 });
  }
  callers = [
    { name: 'the first issuer', authorization: `Bearer ${tokens[0]}`, sees: ['of-0'] },
    { name: 'the second issuer', authorization: `Bearer ${tokens[1]}`, sees: ['of-1'] },
    { name: 'nobody', authorization: undefined, sees: [] },
  ];
  const indexed = async () => (await gateway.anonymous.data(shared, { first: 5 })).srrs.edges.length;
  await vi.waitUntil(async () => (await indexed()) === 2, { timeout: 20_000 });
});
afterAll(() => gateway?.stop());

/** Sends the requests of all callers on one connection. */
function connection() {
  const client = new Client(gateway.app.url);
  onTestFinished(() => client.close());
  return async (
    query: string,
    authorization: string | undefined,
    variables: Record<string, unknown> = { first: 5 },
    headers: Record<string, string> = {},
  ) => {
    const { body } = await client.request({
      method: 'POST',
      path: '/graphql',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }), ...headers },
      body: JSON.stringify({ query, variables }),
    });
    return body.text();
  };
}

const entriesIn = (text: string): string[] =>
  [...text.matchAll(/"externalId":"([^"]*)"/g)].map(([, id]) => id as string);

describe('a page with the entries of issuers', () => {
  it('shows each caller only its own on one connection whose token changes with each request', async () => {
    const ask = connection();
    for (let round = 0; round < 30; round++)
      for (const { authorization, sees } of callers)
        expect(entriesIn(await ask(page, authorization))).toEqual(sees);
  });

  it('shows each caller only its own when all send the query at once', async () => {
    const connections = Array.from({ length: 12 }, connection);
    for (let round = 0; round < 10; round++) {
      // Change the number of records, so that half of the responses are not cached.
      const first = 2 + (round % 5);
      await Promise.all(
        connections.map(async (ask, i) => {
          const { authorization, sees } = callers[i % callers.length] as (typeof callers)[number];
          expect(entriesIn(await ask(page, authorization, { first }))).toEqual(sees);
        }),
      );
    }
  });
});

/** Root fields that are prepared, with arguments that lead to the records of an issuer. */
const roots: [field: string, root: string][] = [
  ['srr', 'srr(tokenId: $token)'],
  ['srrs', 'srrs(first: $first)'],
  ['licensedUser', 'licensedUser(address: $issuer)'],
  ['collection', 'collection(address: $collection)'],
  ['collections', 'collections(first: $first)'],
];
const own = '{ tokenId issuance { id externalId status issuance { id requestId } } }';

/** The selections of all paths through the schema from a type to records, without repeating a type. */
function waysToRecords(type: GraphQLObjectType, above: string[] = []): string[] {
  if (type.name === 'SRR') return [own];
  return Object.values(type.getFields()).flatMap((field) => {
    const below = getNamedType(field.type);
    if (!isObjectType(below) || above.includes(below.name)) return [];
    const size = field.args.some(({ name }) => name === 'first') ? '(first: $first)' : '';
    return waysToRecords(below, [...above, type.name]).map((way) => `{ ${field.name}${size} ${way} }`);
  });
}

const matrix = roots.flatMap(([field, root]) => {
  const type = getNamedType(schema.getQueryType()?.getFields()[field]?.type) as GraphQLObjectType;
  return waysToRecords(type).map((way) => {
    const used = Object.entries({
      first: 'Int',
      token: 'TokenId!',
      issuer: 'Address!',
      collection: 'Address!',
    })
      .filter(([name]) => `${root}${way}`.includes(`$${name}`))
      .map(([name, type]) => `$${name}: ${type}`);
    return `query (${used.join(', ')}) { ${root} ${way} }`;
  });
});

describe('every path through the schema from a prepared query to records', () => {
  /** A request with this header is left to Yoga and graphql-js. */
  const byYoga = { 'content-encoding': 'identity' };

  const variablesOf = async (first: number) => {
    const { srrs } = await gateway.caller.data(
      '{ srrs(first: 5) { edges { node { tokenId collection { address } issuance { externalId } } } } }',
    );
    const records = srrs.edges.map(({ node }: { node: object }) => node);
    const mine = records.find(({ issuance }: { issuance: object | null }) => issuance);
    const [issuer] = gateway.issuers;
    return {
      first,
      token: mine.tokenId,
      issuer: issuer?.address,
      collection: mine.collection?.address ?? gateway.info.registryAddress,
    };
  };

  it('has a query', () => {
    expect(matrix.length).toBeGreaterThanOrEqual(8);
    for (const [, root] of roots) expect(matrix.some((query) => query.includes(root))).toBe(true);
  });

  it('returns what Yoga returns, and only the caller’s own entries, on one connection with changing tokens', async () => {
    const ask = connection();
    const variables = await variablesOf(7);
    const seen = new Set<string>();
    // The second round may be answered from the cache, after another caller's response.
    for (const query of matrix)
      for (const round of [1, 2])
        for (const { name, authorization, sees } of callers) {
          const expected = await ask(query, authorization, variables, byYoga);
          const answer = await ask(query, authorization, variables);
          expect(answer, `${name}, round ${round}: ${query}`).toBe(expected);
          for (const externalId of entriesIn(answer)) {
            expect(sees, query).toContain(externalId);
            seen.add(externalId);
          }
        }
    expect([...seen].toSorted()).toEqual(['of-0', 'of-1']);
  });

  it('returns only the caller’s own entries when six connections with changing tokens send at once', async () => {
    const connections = Array.from({ length: 6 }, connection);
    for (const first of [8, 9, 10]) {
      const variables = await variablesOf(first);
      await Promise.all(
        connections.map(async (ask, i) => {
          for (const [n, query] of matrix.entries()) {
            const { sees, authorization, name } = callers[
              (i + n) % callers.length
            ] as (typeof callers)[number];
            const entries = entriesIn(await ask(query, authorization, variables));
            for (const externalId of entries) expect(sees, `${name}: ${query}`).toContain(externalId);
            if (query.startsWith('query ($first: Int) { srrs('))
              expect(entries, `${name}: ${query}`).toEqual(sees);
          }
        }),
      );
    }
  });
});

it('a page of public fields is the same for everybody, but a wrong token is still refused', async () => {
  const ask = connection();
  const answers = new Set<string>();
  for (let round = 0; round < 5; round++)
    for (const { authorization } of callers) answers.add(await ask(shared, authorization));
  expect(answers.size).toBe(1);
  expect(await ask(shared, 'Bearer made-up')).toContain('UNAUTHENTICATED');
  expect(answers).toContain(await ask(shared, undefined));
});
