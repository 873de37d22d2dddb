import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../src/graphql/schema/schema.ts';
import { startTestGateway, type TestGateway } from './_util/gateway.ts';
import type { Data } from './_util/graphql-caller.ts';
import { type ArgumentPool, type Asked, RandomDocuments } from './_util/random-documents.ts';
import { type RecordingProxy, startRecordingProxy } from './_util/recording-proxy.ts';
import { SeededRandom } from './_util/seeded-random.ts';

// The same query answered by its prepared plan, from the response cache, and by Yoga with graphql-js: the same
// bytes, whichever source fails.

/** `npm run test:equality` asks for 3,000; EQUALITY_SEED repeats a run that failed. */
const documents = Number(process.env.EQUALITY_DOCUMENTS ?? 240);
const seed = process.env.EQUALITY_SEED ?? '20261122';

let gateway: TestGateway;
let index: RecordingProxy;
let content: RecordingProxy;
let pool: ArgumentPool;

beforeAll(async () => {
  index = await startRecordingProxy();
  content = await startRecordingProxy();
  gateway = await startTestGateway({
    sandbox: { fixtures: true },
    env: { RATE_LIMIT: '0', MAX_COST: '20000' },
    upstreams: { subgraphUrls: [`${index.url}/subgraph`], ipfsGateways: [content.url] },
  });
  index.target = new URL(gateway.info.subgraphUrl).origin;
  content.target = new URL(gateway.info.ipfsUrl).origin;
  pool = await valuesOfTheWorld();
}, 120_000);
afterAll(async () => {
  await gateway?.stop();
  await Promise.all([index.stop(), content.stop()]);
});

/** Arguments that find something, and some that find nothing or are refused. */
async function valuesOfTheWorld(): Promise<ArgumentPool> {
  const { srrs, collections } = await gateway.anonymous.data(`{
    srrs(first: 40) { edges { cursor node { tokenId contractAddress owner artistAddress metadataCID issuer { address } } } }
    collections(first: 5) { edges { cursor node { address ownerAddress } } }
  }`);
  const records = srrs.edges.map(({ node }: Data) => node);
  const tokens = records.map(({ tokenId }: Data) => tokenId);
  const contracts = records.map(({ contractAddress }: Data) => contractAddress);
  const people = records.flatMap(({ owner, artistAddress, issuer }: Data) => [
    owner,
    artistAddress,
    issuer.address,
  ]);
  const where = [
    null,
    { issuer: people[2] },
    { owner: people[0], isPrimaryIssuer: true },
    { tokenIds: tokens.slice(0, 3) },
    { or: [{ artist: people[1] }, { inRegistry: false }] },
    { createdAfter: '2024-01-01T00:00:00Z', lockExternalTransfer: false },
  ];
  return {
    first: [0, 1, 2, 3, 5, 17, null, 1_000, -1],
    last: [1, 2, null],
    after: [null, srrs.edges[3].cursor, srrs.edges[9].cursor, 'no cursor'],
    before: [null, srrs.edges[9].cursor],
    tokenId: [...tokens.slice(0, 10), '0', '99999999'],
    'srr.collection': [...contracts.slice(0, 10), null],
    address: [...people, ...collections.edges.map(({ node }: Data) => node.address), people[0].toLowerCase()],
    'collections.where': [null, { nameContains: 'a' }, { owner: collections.edges[0].node.ownerAddress }],
    where,
    language: ['en', 'ja', 'xx'],
  };
}

interface Answer {
  status: number;
  headers: [string, string][];
  text: string;
}

const changing = new Set(['date', 'x-request-id', 'connection', 'keep-alive', 'cache-status']);

async function ask(asked: Asked, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(new URL('/graphql', gateway.app.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(asked),
  });
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !changing.has(name)),
    text: inOrder(await response.text()),
  };
}

/** GraphQL leaves the order of errors open: with graphql-js it is that in which concurrent reads happen to fail. */
function inOrder(text: string): string {
  if (!text.startsWith('{"errors"')) return text;
  const { errors, ...rest } = JSON.parse(text) as { errors: object[] };
  return JSON.stringify({ errors: errors.map((error) => JSON.stringify(error)).sort(), ...rest });
}

/** With a content-encoding, even one that changes nothing, a request is left to Yoga and graphql-js. */
const byYoga = { 'content-encoding': 'identity' };
/** Until no block came in between. */
const tries = 5;

async function expectEqual(asked: Asked, headers: Record<string, string>): Promise<Answer> {
  for (let n = 1; ; n++) {
    const whole = await ask(asked, { ...headers, ...byYoga });
    const prepared = [await ask(asked, headers), await ask(asked, headers)];
    const again = await ask(asked, { ...headers, ...byYoga });
    if (again.text !== whole.text && n < tries) continue;
    expect(prepared, JSON.stringify(asked)).toEqual([whole, whole]);
    return whole;
  }
}

const failing = (message: string) => () => ({
  status: 200,
  text: JSON.stringify({ errors: [{ message }] }),
});

describe.each<[string, number, () => void]>([
  ['all sources answer', 0.5, () => {}],
  [
    'the subgraph gives its queries up',
    0.2,
    () => {
      index.answerInstead = ({ body }) =>
        /^\s*query Meta/.test(body.query) ? undefined : failing('Query timed out')();
    },
  ],
  [
    'no document is there',
    0.3,
    () => {
      content.answerInstead = () => ({ status: 404, text: 'not found' });
    },
  ],
])('while %s', (_, share, begin) => {
  beforeAll(() => begin());
  afterAll(() => {
    index.answerInstead = undefined;
    content.answerInstead = undefined;
  });

  it.each([
    ['an anonymous caller', () => ({})],
    ['an issuer', () => ({ ...gateway.caller.headers })],
  ])(
    'random queries of %s give the same bytes by their plans as by graphql-js',
    async (who, headers) => {
      const random = new RandomDocuments(schema, new SeededRandom(`${seed} ${_} ${who}`), pool);
      const count = Math.ceil((documents * share) / 2);
      let whole = 0;
      for (let n = 0; n < count; n++) {
        const { text } = await expectEqual(random.next(), headers());
        if (!text.includes('"errors"')) whole++;
      }
      // A test of refusals alone would show nothing.
      if (share === 0.5) expect(whole).toBeGreaterThan(count / 4);
    },
    60_000 + documents * 300,
  );
});
