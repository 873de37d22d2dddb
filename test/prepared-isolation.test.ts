import { Client } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { entry } from './_util/entries.ts';
import { startTestGateway, type TestGateway, testToken } from './_util/gateway.ts';
import { GraphQLCaller } from './_util/graphql-caller.ts';
import { issue, outcomeOf } from './_util/issuances.ts';

// Prepared plans, shared executions and cached answers give nobody what is another's: each of three callers asks
// for the same records, which show each issuer its own entry and nobody else's.

const page = `query ($first: Int) { srrs(first: $first) { edges { node { tokenId issuance { externalId } } } } }`;
const shared = `query ($first: Int) { srrs(first: $first) { edges { node { tokenId owner } } } }`;

let gateway: TestGateway;
/** By the Authorization header that they send: what each may see of its own. */
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

/** Sends on one connection, whoever asks. */
function connection() {
  const client = new Client(gateway.app.url);
  onTestFinished(() => client.close());
  return async (query: string, authorization: string | undefined, variables = { first: 5 }) => {
    const { body } = await client.request({
      method: 'POST',
      path: '/graphql',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: JSON.stringify({ query, variables }),
    });
    return body.text();
  };
}

const entriesIn = (text: string): string[] =>
  [...text.matchAll(/"externalId":"([^"]*)"/g)].map(([, id]) => id as string);

describe('a page that shows each issuer its own entries', () => {
  it('does so on one connection whose token changes with each request', async () => {
    const ask = connection();
    for (let round = 0; round < 30; round++)
      for (const { authorization, sees } of callers)
        expect(entriesIn(await ask(page, authorization))).toEqual(sees);
  });

  it('does so when all ask at the same time, at new blocks and at known ones', async () => {
    const connections = Array.from({ length: 12 }, connection);
    for (let round = 0; round < 10; round++) {
      // Another number of records each time, so that half of the answers are new ones.
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

it('a page of public fields is the same for everybody, and a wrong token is refused all the same', async () => {
  const ask = connection();
  const answers = new Set<string>();
  for (let round = 0; round < 5; round++)
    for (const { authorization } of callers) answers.add(await ask(shared, authorization));
  expect(answers.size).toBe(1);
  expect(await ask(shared, 'Bearer made-up')).toContain('UNAUTHENTICATED');
  expect(answers).toContain(await ask(shared, undefined));
});
