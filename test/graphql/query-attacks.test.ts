import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoneGateway, loneToken, startLoneGateway } from '../_util/lone-gateway.ts';

let gateway: LoneGateway;
beforeAll(async () => {
  gateway = await startLoneGateway();
});
afterAll(() => gateway?.stop());

const times = (count: number, part: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => part(n)).join(' ');

/** A document in which each of `count` fragments spreads the next one twice. */
const doubling = (count: number) =>
  `{ ...f0 } ${times(count, (n) => `fragment f${n} on Query { ...f${n + 1} x${n}: __typename ...f${n + 1} }`)}
   fragment f${count} on Query { __typename }`;

const nestedLists = (depth: number) =>
  `{ licensedUser(address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed") { ${'srrs(first: 1) { edges { node { issuer { '.repeat(depth)} address ${'} } } }'.repeat(depth)} } }`;

const nestedFilter = (depth: number) =>
  `${'{ or: ['.repeat(depth)}{ inRegistry: true }${'] }'.repeat(depth)}`;

/** A selection whose cost is far beyond MAX_COST. */
const costly =
  'srrs(first: 999) { edges { node { issuer { issuedSRRs(first: 999) { edges { node { tokenId } } } } } } }';

interface Attack {
  name: string;
  body: unknown;
  limit: string;
  /** The message, when validation refuses the query without a limit of ours. */
  says?: RegExp;
}

const ask = (query: string, variables?: object) => ({ query, ...(variables && { variables }) });

const attacks: Attack[] = [
  { name: 'aliases', body: ask(`{ ${times(1_000, (n) => `a${n}: __typename`)} }`), limit: 'aliases' },
  { name: 'one field repeated', body: ask(`{ ${'__typename '.repeat(3_000)} }`), limit: 'aliases' },
  {
    name: 'one nested field repeated',
    body: ask(`{ srrs { edges { node { ${'tokenId '.repeat(3_000)} } } } }`),
    limit: 'aliases',
  },
  { name: 'aliases by fragments', body: ask(doubling(20)), limit: 'aliases' },
  {
    name: 'fragments that each spread all following ones',
    body: ask(
      `{ ...f0 } ${times(60, (n) => `fragment f${n} on Query { ${times(60 - n - 1, (m) => `...f${n + m + 1}`)} __typename }`)}`,
    ),
    limit: 'fragments',
  },
  {
    name: 'fragments that nobody spreads',
    body: ask(`{ __typename } ${times(400, (n) => `fragment f${n} on Query { __typename }`)}`),
    limit: 'fragments',
  },
  {
    name: 'circular fragments',
    body: ask('{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }'),
    limit: '',
    says: /within itself/,
  },
  {
    name: 'a fragment that spreads itself, many times',
    body: ask(`{ ...a } fragment a on Query { ${'...a '.repeat(500)} }`),
    limit: 'fragments',
  },
  { name: 'directives', body: ask(`{ __typename ${'@skip(if: false) '.repeat(500)} }`), limit: 'directives' },
  {
    name: 'directives that are unknown',
    body: ask(`query ${times(500, (n) => `@d${n}`)} { __typename }`),
    limit: 'directives',
  },
  {
    name: 'cost beside an invalid id',
    body: ask(`{ node(id: "x") { id } ${costly} }`),
    limit: 'cost',
  },
  {
    name: 'cost beside an id of another type',
    body: ask(`{ issuance(id: "Rm9vOjE=") { id } ${costly} }`),
    limit: 'cost',
  },
  {
    name: 'cost beside an argument that may not be null',
    body: ask(`query ($t: TokenId = "1") { srr(tokenId: $t) { id } ${costly} }`, { t: null }),
    limit: 'cost',
  },
  {
    name: 'cost beside a list by keys that may not be null',
    body: ask(`query ($ids: [ID!] = ["1"]) { nodes(ids: $ids) { id } ${costly} }`, { ids: null }),
    limit: '',
    says: /must not be null/,
  },
  {
    name: 'cost beside a list of a negative length',
    body: ask(`{ less: ${costly.replace('999', '-999')} ${costly} }`),
    limit: 'cost',
  },
  { name: 'nesting', body: ask(nestedLists(50)), limit: 'depth' },
  {
    name: 'nesting behind fragments',
    body: ask(
      `{ srrs { edges { node { ...f } } } } fragment f on SRR { ${'collection { srrs { edges { node { '.repeat(4)} owner ${'} } } } '.repeat(4)} }`,
    ),
    limit: 'depth',
  },
  {
    name: 'nesting beyond the parser',
    body: ask('{a'.repeat(20_000) + '}'.repeat(20_000)),
    // The parser may run out of stack before MAX_TOKENS: its frames are larger until V8 compiles it.
    limit: 'tokens|depth',
  },
  {
    name: 'circular introspection',
    body: ask(`{ __schema { types { ${'fields { type { '.repeat(8)} name ${'} }'.repeat(8)} } } }`),
    limit: '',
    says: /introspection depth/,
  },
  { name: 'tokens', body: ask(`{ ${'a '.repeat(40_000)} }`), limit: 'tokens' },
  {
    name: 'commas, which are not tokens, in a long document',
    body: ask(`{ a${','.repeat(600_000)} }`),
    limit: 'bodyBytes',
  },
  {
    name: 'root fields',
    body: ask(`{ ${times(40, (n) => `a${n}: srr(tokenId: "${n}") { owner }`)} }`),
    limit: 'rootFields',
  },
  {
    name: 'huge nested lists',
    body: ask(
      '{ srrs(first: 999) { edges { node { provenance(first: 999) { edges { node { from } } } } } } }',
    ),
    limit: 'cost',
  },
  {
    name: 'names of types in huge lists',
    body: ask(
      `{ srrs(first: 999) { edges { node { provenance(first: 3) { edges { node { ${times(48, (n) => `a${n}: __typename`)} } } } } } } }`,
    ),
    limit: 'cost',
  },
  {
    name: 'huge lists by variables',
    body: ask(
      'query ($n: Int!) { srrs(first: $n) { edges { node { provenance(first: $n) { edges { node { from } } } } } } }',
      { n: 999 },
    ),
    limit: 'cost',
  },
  {
    name: 'huge lists by the defaults of variables',
    body: ask(
      'query ($n: Int = 999) { srrs(first: $n) { edges { node { provenance(last: $n) { edges { node { from } } } } } } }',
    ),
    limit: 'cost',
  },
  {
    name: 'the costly one of two operations',
    body: {
      query:
        'query A { __typename } query B { srrs(first: 999) { edges { node { provenance(first: 999) { edges { node { from } } } } } } }',
      operationName: 'B',
    },
    limit: 'cost',
  },
  {
    name: 'a filter of many alternatives',
    body: ask(`{ srrs(where: ${nestedFilter(60)}) { edges { cursor } } }`),
    limit: 'cost',
  },
  {
    name: 'a filter of many values',
    body: ask('query ($ids: [TokenId!]) { srrs(where: { tokenIds: $ids }) { edges { cursor } } }', {
      ids: Array.from({ length: 8_000 }, (_, n) => String(n)),
    }),
    limit: 'cost',
  },
  {
    name: 'a filter of many empty alternatives',
    body: ask('query ($where: SRRFilter) { srrs(where: $where) { edges { cursor } } }', {
      where: { or: Array.from({ length: 4_000 }, () => ({})) },
    }),
    limit: 'cost',
  },
  {
    name: 'whole metadata documents repeated',
    body: ask(`{ srrs(first: 300) { edges { node { ${times(48, (n) => `m${n}: metadata { raw }`)} } } } }`),
    limit: 'cost',
  },
  {
    name: 'many nodes by their ids',
    body: ask(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on SRR { provenance { edges { node { from } } } } } }',
      {
        ids: Array.from({ length: 3_000 }, (_, n) => Buffer.from(`SRR:${n}`).toString('base64')),
      },
    ),
    limit: 'cost',
  },
  {
    name: 'huge variables',
    body: ask('query ($x: String) { __typename }', { x: 'x'.repeat(1_000_000) }),
    limit: 'bodyBytes',
  },
  {
    name: 'a CID that takes seconds to decode',
    body: ask('query ($cid: CID!) { metadata(cid: $cid) { status } }', { cid: `z${'2'.repeat(90_000)}` }),
    limit: '',
    says: /at most 500 characters/,
  },
  { name: 'a batch', body: Array.from({ length: 500 }, () => ask('{ __typename }')), limit: 'batch' },
];

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Plain fetch, so that the time does not include the work of a GraphQL client. The time is that of the processor,
 * because a busy machine makes each request wait.
 */
async function post(body: unknown, url = gateway.app.url) {
  const text = JSON.stringify(body);
  const before = process.threadCpuUsage();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text,
  });
  const answer = await response.text();
  const { user, system } = process.threadCpuUsage(before);
  return { ms: (user + system) / 1000, status: response.status, answer };
}

describe('an excessive query', () => {
  it.each(attacks)(
    'is refused by its limit in under 50 ms of processor time: $name',
    async ({ body, limit, says }) => {
      // The quickest of several tries: code may be compiled, or garbage collected, during any of them.
      const tries = [];
      for (let n = 0; n < 8; n++) tries.push(await post(body));
      const [{ status, answer } = { status: 0, answer: '' }] = tries;
      expect(status).toBeLessThan(500);
      const { data, errors } = JSON.parse(answer) as {
        data?: object;
        errors: {
          message: string;
          extensions?: { code?: string; limit?: string; allowed?: number; measured?: number };
        }[];
      };
      // Nothing was executed.
      expect(data).toBeUndefined();
      const [error] = errors;
      expect(error?.message).toMatch(
        says ??
          /this gateway allows \d+ \([A-Z_]+\)\.( With lists of at most \d+ elements it fits\.| Select fewer fields, or filter by fewer values\.)?$/,
      );
      expect(error?.extensions?.code).toMatch(
        limit === '' ? /^(INVALID_INPUT|GRAPHQL_VALIDATION_FAILED)$/ : 'LIMIT_EXCEEDED',
      );
      if (limit !== '') {
        const { allowed = 0, measured = 0 } = error?.extensions ?? {};
        expect(error?.extensions?.limit).toMatch(new RegExp(`^(${limit})$`));
        expect(measured).toBeGreaterThan(allowed);
      }
      expect(Math.min(...tries.map(({ ms }) => ms))).toBeLessThan(50);
    },
  );

  it('is refused even if the same document was executed with smaller variables before', async () => {
    const query =
      'query ($n: Int, $id: ID!) { srrs(first: $n) { edges { node { provenance(first: $n) { edges { cursor } } } } } node(id: $id) { id } }';
    const id = Buffer.from('SRR:1').toString('base64');
    for (let n = 0; n < 3; n++)
      expect((await post(ask(query, { n: 3, id }))).answer).toContain('"data":{"srrs":');
    expect((await post(ask(query, { n: 999, id }))).answer).toContain('"limit":"cost"');
    // An invalid id fails only its own field.
    const { data, errors } = JSON.parse((await post(ask(query, { n: 3, id: 'no id' }))).answer);
    expect(data).toMatchObject({ node: null, srrs: {} });
    expect(errors).toContainEqual(
      expect.objectContaining({
        path: ['node'],
        extensions: expect.objectContaining({ code: 'INVALID_INPUT' }),
      }),
    );
  });

  it('does not leave anything in memory', async () => {
    const small = attacks.filter(({ body }) => JSON.stringify(body).length < 100_000);
    const flood = async (rounds: number) => {
      for (let n = 0; n < rounds; n++)
        // Change the text each time, so that caches by document text would grow too.
        for (const { body } of small)
          await post(
            Array.isArray(body)
              ? body
              : { ...(body as object), query: `${(body as { query: string }).query} # ${n}` },
          );
      collectGarbage();
      return process.memoryUsage().heapUsed / 1e6;
    };
    const before = await flood(20);
    const after = await flood(40);
    // In megabytes. The caches by document text are full by then.
    expect(after - before).toBeLessThan(25);
    // Thousands of requests, each of up to 50 ms.
  }, 180_000);

  it.each([
    ['the introspection query of GraphiQL', getIntrospectionQuery()],
    [
      'a page of 999 records',
      '{ srrs(first: 999) { edges { node { tokenId owner metadata { title { text } } } } } }',
    ],
    [
      'a page of 999 metadata documents',
      '{ srrs(first: 999) { edges { node { tokenId metadata { raw } } } } }',
    ],
  ])('is not %s', async (_what, query) => {
    const { answer } = await post({ query });
    expect(answer).not.toContain('LIMIT_EXCEEDED');
  });

  it('is refused over WebSocket too, and the connection stays open', async () => {
    const socket = new WebSocket(`${gateway.app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const messages: { id?: string; type: string; payload: unknown }[] = [];
    socket.addEventListener('message', ({ data }) => messages.push(JSON.parse(String(data))));
    const say = (message: object) => socket.send(JSON.stringify(message));
    await new Promise((opened) => socket.addEventListener('open', opened));
    say({ type: 'connection_init' });
    await expect.poll(() => messages.length).toBe(1);
    const documents = attacks.flatMap(({ body, limit }) =>
      /aliases|tokens|depth|cost/.test(limit) ? [body as object] : [],
    );
    const costly = documents.filter((body) => JSON.stringify(body).length < 100_000);
    for (const [n, payload] of costly.entries()) say({ id: String(n), type: 'subscribe', payload });
    say({ id: 'last', type: 'subscribe', payload: { query: '{ __typename }' } });
    await expect
      .poll(() => messages.filter(({ type }) => type === 'complete').map(({ id }) => id))
      .toContain('last');
    const refused = messages.filter(({ id }) => id !== undefined && id !== 'last');
    expect(new Set(refused.map(({ id }) => id)).size).toBe(costly.length);
    for (const message of refused.filter(({ type }) => type !== 'complete'))
      expect(JSON.stringify(message)).toContain('LIMIT_EXCEEDED');
    socket.close();
  });
});

it.each([
  ['that cannot be parsed', (n: number) => `{ asked${n}`],
  ['beyond a limit', (n: number) => `{ ${times(100, (m) => `a${n}n${m}: __typename`)} }`],
])(
  'a document %s has the same status over HTTP, even if it came over WebSocket before',
  async (_what, document) => {
    const statuses = async (query: string) => {
      const all: number[] = [];
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        const response = await fetch(`${gateway.app.url}/graphql`, {
          method: 'POST',
          headers: { accept, 'content-type': 'application/json' },
          body: JSON.stringify({ query }),
        });
        await response.text();
        all.push(response.status);
      }
      return all;
    };
    const socket = new WebSocket(`${gateway.app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const refused = new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        if (JSON.parse(data).type === 'error') return resolve(undefined);
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: document(1) } }));
      });
    });
    socket.addEventListener('open', () => socket.send('{"type":"connection_init"}'));
    await refused;
    socket.close();
    expect(await statuses(document(2))).toEqual([200, 400]);
    expect(await statuses(document(1))).toEqual([200, 400]);
  },
);

describe('with other settings', () => {
  const withSettings = async (env: Record<string, string>, use: (gateway: LoneGateway) => Promise<void>) => {
    const other = await startLoneGateway(env);
    await use(other).finally(() => other.stop());
  };

  it('each limit follows its variable', async () => {
    const env = {
      MAX_TOKENS: '300',
      MAX_DEPTH: '4',
      MAX_ALIASES: '1',
      MAX_DIRECTIVES: '1',
      MAX_FRAGMENTS: '1',
      MAX_ROOT_FIELDS: '2',
      MAX_COST: '50',
      MAX_BATCH: '2',
      ANONYMOUS_BODY_MAX_BYTES: '4000',
    };
    const cases: [string, number, unknown][] = [
      ['tokens', 300, ask(`{ ${'a '.repeat(400)} }`)],
      ['depth', 4, ask('{ srrs { edges { node { artist { address } } } } }')],
      ['depth', 4, ask('{ srrs { edges { node { artist { __typename } } } } }')],
      ['aliases', 1, ask('{ a: __typename b: __typename }')],
      ['directives', 1, ask('{ __typename @skip(if: false) ... @include(if: true) { __typename } }')],
      ['fragments', 1, ask('{ ...a ...a } fragment a on Query { __typename }')],
      ['rootFields', 2, ask('{ a: __typename sources { kind } collections { edges { cursor } } }')],
      ['cost', 50, ask('{ srrs(first: 30) { edges { cursor } } }')],
      ['batch', 2, [ask('{ __typename }'), ask('{ __typename }'), ask('{ __typename }')]],
      ['bodyBytes', 4000, ask(`{ a } # ${'x'.repeat(5000)}`)],
    ];
    await withSettings(env, async ({ app }) => {
      for (const [limit, allowed, body] of cases)
        expect((await post(body, app.url)).answer).toContain(`"limit":"${limit}","allowed":${allowed}`);
      // Exactly as much as is allowed.
      for (const body of [
        ask('{ srrs(first: 1) { edges { node { artistAddress } } } }'),
        ask('{ a: __typename @skip(if: false) ...a } fragment a on Query { sources { kind } }'),
        ask('{ __typename srrs(first: 24) { edges { cursor } } }'),
        [ask('{ __typename }'), ask('{ __typename }')],
        ask(`{ __typename } #${' '.repeat(4000 - JSON.stringify(ask('{ __typename } #')).length)}`),
      ])
        expect((await post(body, app.url)).answer).not.toContain('LIMIT_EXCEEDED');
    });
  });

  it('a body with credentials is limited by BODY_MAX_BYTES, with and without Content-Length', async () => {
    await withSettings({ BODY_MAX_BYTES: '4000' }, async ({ app }) => {
      const body = JSON.stringify({ query: `{ __typename } # ${'x'.repeat(5000)}` });
      const token = { authorization: `Bearer ${loneToken}` };
      for (const [sent, credentials] of [
        [body, token],
        [new Blob([body]).stream(), token],
        [new Blob([body]).stream(), { 'commerce-api-key': 'a-key' }],
      ] as const) {
        const request: RequestInit & { duplex: 'half' } = {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...credentials },
          body: sent,
          duplex: 'half',
        };
        const response = await fetch(`${app.url}/graphql`, request);
        expect(response.status).toBe(413);
        expect(await response.json()).toMatchObject({
          errors: [
            {
              message: expect.stringContaining('(BODY_MAX_BYTES)'),
              extensions: { code: 'LIMIT_EXCEEDED', limit: 'bodyBytes', allowed: 4000 },
            },
          ],
        });
      }
    });
  });

  it('the operations of an allowed batch are each held to the limits', async () => {
    await withSettings({ MAX_BATCH: '3' }, async ({ app }) => {
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([ask('{ __typename }'), ask(nestedLists(50))]),
      });
      const [first, second] = (await response.json()) as {
        data?: unknown;
        errors?: { extensions: object }[];
      }[];
      expect(first).toEqual({ data: { __typename: 'Query' } });
      expect(second?.errors?.[0]?.extensions).toMatchObject({ limit: 'depth' });
    });
  });

  it('a subscription in a batch is refused', async () => {
    await withSettings({ MAX_BATCH: '2' }, async ({ app }) => {
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer lone-token-read' },
        body: JSON.stringify([ask('{ __typename }'), ask('subscription { events { cursor } }')]),
      });
      expect(await response.json()).toMatchObject([
        { data: { __typename: 'Query' } },
        { errors: [{ message: expect.stringMatching(/cannot be part of a batch/) }] },
      ]);
    });
  });

  it('without introspection the schema can be neither read nor guessed', async () => {
    await withSettings({ INTROSPECTION: 'off' }, async ({ anonymous, caller }) => {
      expect(JSON.stringify(await anonymous.ask(getIntrospectionQuery()))).toContain(
        'introspection has been disabled',
      );
      for (const [query, variables] of [
        ['{ srr_ { owner } }', {}],
        ['{ srrs(frst: 1) { edges { cursor } } }', {}],
        ['{ srrs(orderBy: CREATED_AT_DSC) { edges { cursor } } }', {}],
        ['{ srrs { edges { node { owne } } } }', {}],
        ['{ srrs(where: { ownr: "x" }) { edges { cursor } } }', {}],
        ['query ($w: SRRFilte) { srrs(where: $w) { edges { cursor } } }', {}],
        ['query ($w: SRRFilter) { srrs(where: $w) { edges { cursor } } }', { w: { ownr: 'x' } }],
        [
          'query ($w: SRRFilter) { srrs(where: $w) { edges { cursor } } }',
          { w: { ownr: 'x'.repeat(2_000) } },
        ],
        ['query ($o: SRROrder) { srrs(orderBy: $o) { edges { cursor } } }', { o: 'CREATED_AT_DSC' }],
      ] as const)
        for (const one of [anonymous, caller]) {
          const answer = await one.ask(query, variables);
          expect(answer.errors).not.toHaveLength(0);
          expect(JSON.stringify(answer), query).not.toContain('Did you mean');
        }
    });
    // With introspection, a suggestion reveals nothing new.
    expect(JSON.stringify(await gateway.anonymous.ask('{ srr_ { owner } }'))).toContain('Did you mean');
  });

  it('a browser does not get GraphiQL when it is off', async () => {
    const page = (url: string) => fetch(`${url}/graphql`, { headers: { accept: 'text/html' } });
    expect((await page(gateway.app.url)).headers.get('content-type')).toContain('text/html');
    await withSettings({ GRAPHIQL: 'off' }, async ({ app }) => {
      expect((await page(app.url)).headers.get('content-type') ?? '').not.toContain('text/html');
    });
  });

  it('the operations in GraphiQL stay within every limit', async () => {
    const folder = join(import.meta.dirname, '../../src/graphql/operations');
    for (const name of ['2-records.graphql', '7-sources.graphql']) {
      const { answer } = await post({ query: readFileSync(join(folder, name), 'utf8') });
      expect(answer, name).not.toContain('LIMIT_EXCEEDED');
    }
  });
});
