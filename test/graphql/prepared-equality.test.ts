import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema/schema.ts';
import { subscribe } from '../../src/observability/telemetry.ts';
import { openTables } from '../../src/store/store.ts';
import {
  type ClientWorld,
  clientDocuments,
  clientQueries,
  createClientWorld,
} from '../_util/client-queries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import type { Data } from '../_util/graphql-caller.ts';
import { type ArgumentPool, RandomDocuments, type RandomRequest } from '../_util/random-documents.ts';
import { type RecordingProxy, startRecordingProxy } from '../_util/recording-proxy.ts';
import { SeededRandom } from '../_util/seeded-random.ts';

// A query gets the same bytes from its prepared plan, from the response cache, and from Yoga with graphql-js,
// whichever source fails. The queries are those of clients, and random ones.

/** `npm run test:equality` runs 3,000; EQUALITY_SEED repeats a failed run. */
const documents = Number(process.env.EQUALITY_DOCUMENTS ?? 240);
const seed = process.env.EQUALITY_SEED ?? '20261122';

let gateway: TestGateway;
let index: RecordingProxy;
let content: RecordingProxy;
let pool: ArgumentPool;
let world: ClientWorld;

beforeAll(async () => {
  index = await startRecordingProxy();
  content = await startRecordingProxy();
  gateway = await startTestGateway({
    sandbox: { fixtures: true },
    env: { RATE_LIMIT: '0', MAX_COST: '43000' },
    upstreams: { subgraphUrls: [`${index.url}/subgraph`], ipfsGateways: [content.url] },
  });
  index.target = new URL(gateway.info.subgraphUrl).origin;
  content.target = new URL(gateway.info.ipfsUrl).origin;
  world = await createClientWorld(gateway);
  pool = await valuesOfTheWorld();
}, 120_000);
afterAll(async () => {
  await gateway?.stop();
  await Promise.all([index.stop(), content.stop()]);
});

/** Arguments that match data, and some that match nothing or are refused. */
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
    { updatedAfter: '2024-01-01T00:00:00Z', owners: people.slice(0, 5), artistNameContains: 'a' },
    { or: [{ collections: contracts.slice(0, 4) }, { issuers: people.slice(2, 3) }] },
  ];
  return {
    first: [0, 1, 2, 3, 5, 17, null, 1_000, -1],
    last: [1, 2, null],
    after: [null, srrs.edges[3].cursor, srrs.edges[9].cursor, 'no cursor'],
    before: [null, srrs.edges[9].cursor],
    tokenId: [...tokens.slice(0, 10), '0', '99999999'],
    'srr.collection': [...contracts.slice(0, 10), null],
    address: [...people, ...collections.edges.map(({ node }: Data) => node.address), people[0].toLowerCase()],
    'collections.where': [
      null,
      { nameContains: 'a' },
      { owner: collections.edges[0].node.ownerAddress },
      { creator: collections.edges[0].node.ownerAddress },
    ],
    'licensedUsers.where': [null, { nameContains: 'a' }, { userType: 'artist' }, { addresses: people }],
    where,
    language: ['en', 'ja', 'xx'],
  };
}

interface Answer {
  status: number;
  headers: [string, string][];
  text: string;
}

/** Values that differ in every response: an error's log id, the time of a health check, a sealed link. */
const perResponse = /"(errorId|checkedAt|downloadUrl)":"[^"]*"/g;
const changing = new Set(['date', 'x-request-id', 'connection', 'keep-alive', 'cache-status']);

async function ask(sent: RandomRequest, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(new URL('/graphql', gateway.app.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': 'identity', ...headers },
    body: JSON.stringify(sent),
  });
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !changing.has(name)),
    text: inOrder((await response.text()).replaceAll(perResponse, '"$1":""')),
  };
}

/** Sorts the errors, whose order is undefined: in graphql-js it depends on which read fails first. */
function inOrder(text: string): string {
  if (!text.startsWith('{"errors"')) return text;
  const { errors, ...rest } = JSON.parse(text) as { errors: object[] };
  return JSON.stringify({ errors: errors.map((error) => JSON.stringify(error)).sort(), ...rest });
}

/**
 * Whether both have no data, and one has the errors of the other. Once an error has nulled all data, graphql-js
 * leaves out what fails later, and time decides which of several failing fields that is.
 */
function nulledAlike(...answers: [Answer, Answer]): boolean {
  const [one, other] = answers.map(({ text }) => JSON.parse(text) as { data?: null; errors?: string[] });
  if (one?.data !== null || other?.data !== null || answers[0].status !== answers[1].status) return false;
  const [few = [], many = []] = [one.errors, other.errors].sort((a = [], b = []) => a.length - b.length);
  return few.length > 0 && few.every((error) => many.includes(error));
}

/** A request with any content-encoding, even `identity`, is left to Yoga and graphql-js. */
const byYoga = { 'content-encoding': 'identity' };
/** How often to try until no new block comes in between. */
const tries = 8;

/** The same request under another key of the response cache: an undeclared variable changes no response. */
const underAnotherKey = (sent: RandomRequest): RandomRequest => ({
  ...sent,
  variables: { ...sent.variables, asked: 'again' },
});

async function expectEqual(
  sent: RandomRequest,
  headers: Record<string, string>,
  steady: boolean,
): Promise<Answer> {
  for (let n = 1; ; n++) {
    const whole = await ask(sent, { ...headers, ...byYoga });
    // From its plan, from the response cache, and from its plan with cached metadata documents.
    const prepared = [
      await ask(sent, headers),
      await ask(sent, headers),
      await ask(underAnotherKey(sent), headers),
    ];
    const again = await ask(sent, { ...headers, ...byYoga });
    if (n < tries && again.text !== whole.text) continue;
    // A circuit breaker that opens or half-opens changes the error of a failing source.
    if (n < tries && !steady && prepared.some(({ text }) => text !== whole.text)) continue;
    const compared = prepared.map((answer) => (nulledAlike(answer, whole) ? whole : answer));
    expect(compared, JSON.stringify(sent)).toEqual([whole, whole, whole]);
    return whole;
  }
}

const languages = ['en', 'ja', 'fr, ja;q=0.5'];

/** A page of records with the issuer's own entries. */
const ownEntries = `query ($first: Int) { srrs(first: $first) { edges { node { tokenId issuance {
  externalId status issuance { requestId progress { total } }
} } } } }`;

/** The client queries whose root fields are prepared. */
const preparedReads = [
  'artist-works',
  'collection-page',
  'collections-by-name',
  'collections-overview',
  'gallery-grid',
  'gallery-previous-page',
  'issuer-profile',
  'issuer-records-backwards',
  'locked-or-collected',
  'oldest-records',
  'own-entries',
  'pictures',
  'record-metadata-history',
  'record-page',
  'records-by-documents',
  'records-by-token-ids',
  'search-by-filters',
  'title-in-my-languages',
  'wallet-holdings',
];

const clientReads = [...clientDocuments, ['own-entries', ownEntries] as const].filter(
  ([, text]) => !/^(mutation|subscription)\b/m.test(text),
);

const refused = () => ({ status: 200, text: JSON.stringify({ errors: [{ message: 'Query timed out' }] }) });
const onlyReads =
  (answer: () => { status: number; text: string }): RecordingProxy['answerInstead'] =>
  ({ body }) =>
    /^\s*query Meta/.test(body.query) ? undefined : answer();

/** The faults of the IPFS gateway; each applies to an equal share of the CIDs. */
const contentFaults = [
  undefined,
  { status: 404, text: 'not found' },
  { status: 504, text: 'timed out' },
  { status: 200, text: 'other bytes' },
];

const entriesTo = (from: string, to: string) => async () => {
  const db = await openTables(gateway.database);
  await sql`alter table gateway.${sql.ref(from)} rename to ${sql.ref(to)}`.execute(db);
};

interface State {
  while: string;
  /** The share of all random documents. */
  share: number;
  begin(): unknown;
  end?(): unknown;
}

// Faults of content first, because content that was read once is cached.
const states: State[] = [
  {
    while: 'documents are missing, late or wrong',
    share: 0.2,
    begin: () => {
      content.answerInstead = ({ call }) =>
        contentFaults[call.replace(/\?.*/, '').charCodeAt(20) % contentFaults.length];
    },
  },
  {
    while: 'no document is there',
    share: 0.1,
    begin: () => {
      content.answerInstead = () => ({ status: 404, text: 'not found' });
    },
  },
  {
    while: 'the subgraph gives its queries up',
    share: 0.1,
    begin: () => {
      index.answerInstead = onlyReads(refused);
    },
  },
  {
    while: 'the subgraph answers with something else',
    share: 0.05,
    begin: () => {
      index.answerInstead = onlyReads(() => ({ status: 200, text: '<html>' }));
    },
  },
  {
    while: 'the subgraph is down',
    share: 0.1,
    begin: () => {
      index.target = 'http://127.0.0.1:1';
    },
    end: () => {
      index.target = new URL(gateway.info.subgraphUrl).origin;
    },
  },
  {
    while: 'the database fails where the entries of issuers are',
    share: 0.1,
    begin: entriesTo('issuance_entry', 'issuance_entry_away'),
    end: entriesTo('issuance_entry_away', 'issuance_entry'),
  },
  { while: 'all sources answer', share: 0.35, begin: () => {} },
];

describe.each(states)('while $while', ({ while: state, share, begin, end }) => {
  const steady = state === 'all sources answer';
  // While sources fail, a query that is not prepared would only compare Yoga with itself.
  const reads = steady ? clientReads : clientReads.filter(([name]) => preparedReads.includes(name));
  beforeAll(async () => {
    await begin();
  });
  afterAll(async () => {
    index.answerInstead = undefined;
    content.answerInstead = undefined;
    await end?.();
  });

  const callers = [
    ['an anonymous caller', () => ({})],
    ['an issuer', () => ({ ...gateway.caller.headers })],
  ] as const;

  it.each(callers)(
    'the queries of clients give %s the same bytes from their plans as from graphql-js',
    async (who, headers) => {
      const prepared = new Set<string>();
      for (const [name, query] of reads) {
        const variables = clientQueries[name]?.variables?.(world) ?? {};
        const stop = subscribe('cache', ({ cache }) => void (cache === 'answers' && prepared.add(name)));
        const { text } = await expectEqual({ query, variables }, headers(), steady);
        stop();
        // The plan has answered with the same metadata documents in another language before.
        if (steady)
          await expectEqual({ query, variables }, { ...headers(), 'accept-language': 'ja' }, steady);
        if (steady && name === 'own-entries')
          for (const externalId of world.externalIds)
            expect(text.includes(externalId), text).toBe(who === 'an issuer');
      }
      expect([...prepared].toSorted()).toEqual(preparedReads);
    },
  );

  it.each(callers)(
    'random queries give %s the same bytes from their plans as from graphql-js',
    async (who, headers) => {
      const random = new RandomDocuments(schema, new SeededRandom(`${seed} ${state} ${who}`), pool);
      const count = Math.ceil((documents * share) / 2);
      let whole = 0;
      for (let n = 0; n < count; n++) {
        const language = { 'accept-language': languages[n % languages.length] as string };
        const { text } = await expectEqual(random.next(), { ...headers(), ...language }, steady);
        if (!text.includes('"errors"')) whole++;
      }
      // Refused queries alone would prove nothing.
      if (steady) expect(whole).toBeGreaterThan(count / 4);
    },
    60_000 + documents * 300,
  );
});
