import { request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type LoneGateway,
  loneIssuer,
  loneToken,
  loneWebhookKey,
  startLoneGateway,
} from '../_util/lone-gateway.ts';

/** `npm run test:fuzz` sends 50,000. FUZZ_SEED repeats a run that failed. */
const inputs = Number(process.env.FUZZ_INPUTS ?? 1_200);
const seed = Number(process.env.FUZZ_SEED ?? 20_261_121);

let gateway: LoneGateway;
beforeAll(async () => {
  gateway = await startLoneGateway();
});
afterAll(() => gateway?.stop());

interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** Sends a request as it is, where `fetch` would correct or refuse it. */
function send({ method, path, headers, body }: Sent): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(gateway.address);
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece) => {
        text += piece;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const token = { authorization: `Bearer ${loneToken}` };
const json = { 'content-type': 'application/json' };

const query = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      '{',
      '}',
      '(',
      ')',
      '[',
      ']',
      ':',
      '$',
      '@',
      '!',
      '"',
      '...',
      'a',
      '1',
      ' ',
      '#',
      '\n',
      '\u0000',
    ),
  }),
  fc
    .constantFrom('srr', 'srrs', 'viewer', 'node', 'issuance', 'events', '__schema', '__typename')
    .chain((field) =>
      fc
        .string({ unit: 'grapheme', maxLength: 20 })
        .map((text) => `{ ${field}(id: ${JSON.stringify(text)}, first: 1) { __typename } }`),
    ),
);

/** Operations of each kind, to be sent with random variables. */
const known = [
  'query ($v: SRRFilter) { srrs(where: $v) { edges { cursor } } }',
  'query ($v: String) { srrs(after: $v) { edges { cursor } } }',
  'query ($v: ID!) { node(id: $v) { id } }',
  'query ($v: [ID!]!) { nodes(ids: $v) { id } }',
  'query ($v: TokenId!) { srr(tokenId: $v) { owner } }',
  'query ($v: CID!) { metadata(cid: $v) { status } }',
  'query ($v: String) { events(after: $v) { edges { cursor } } }',
  'query ($v: String) { issuances(after: $v) { edges { cursor } } }',
  'query ($v: ID) { issuance(id: $v) { id } }',
  'query ($v: [IssueEntryInput!]!) { validateSRRs(entries: $v) { valid } }',
  'mutation ($v: IssueSRRsInput!) { issueSRRs(input: $v) { userErrors { code } } }',
  'mutation ($v: CreateUploadsInput!) { createUploads(input: $v) { userErrors { code } } }',
  'mutation ($v: CreateCollectionInput!) { createCollection(input: $v) { userErrors { code } } }',
  'mutation ($v: ID!) { cancelIssuance(input: { id: $v }) { userErrors { code } } }',
];

const nearlyAnEntry = fc.record(
  {
    externalId: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
    artistAddress: fc.oneof(fc.constant(loneIssuer), fc.jsonValue()),
    to: fc.oneof(fc.constant(loneIssuer), fc.jsonValue()),
    metadata: fc.jsonValue(),
    metadataJson: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const variable = fc.oneof(
  fc.jsonValue({ maxDepth: 6 }),
  fc.string({ unit: 'binary' }),
  fc.string().map((text) => Buffer.from(`Issuance:${text}`).toString('base64')),
  fc.array(nearlyAnEntry, { maxLength: 4 }),
  fc.record({ requestId: fc.string({ unit: 'binary' }), entries: fc.array(nearlyAnEntry, { maxLength: 3 }) }),
  fc.record({
    files: fc.array(
      fc.record({ filename: fc.string({ unit: 'binary' }), category: fc.constant('ARTWORK') }),
      { maxLength: 3 },
    ),
  }),
  fc.record({ name: fc.string({ unit: 'binary' }), symbol: fc.string({ unit: 'binary' }) }),
);

const headerValue = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
});

const restParameter = fc.constantFrom(
  'first',
  'after',
  'last',
  'owner',
  'tokenIds',
  'orderBy',
  'createdAfter',
);
const restValue = fc.constantFrom('1', '-1', '1e3', 'true', '', '0x', 'CREATED_AT_ASC', loneIssuer, '\0');
const restEntry = fc.record(
  {
    externalId: fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' })),
    artistAddress: fc.constantFrom<unknown>(loneIssuer, 1, null),
    isPrimaryIssuer: fc.boolean(),
    lockExternalTransfer: fc.boolean(),
    metadataJson: fc.jsonValue(),
    attachments: fc.jsonValue(),
  },
  { requiredKeys: ['externalId'] },
);

const kinds: Record<string, fc.Arbitrary<Sent>> = {
  'GraphQL bodies': fc
    .oneof(
      query.map((text) => JSON.stringify({ query: text })),
      fc.json({ maxDepth: 5 }),
      fc.string({ unit: 'binary' }),
      fc
        .record({
          query,
          variables: fc.jsonValue(),
          operationName: fc.jsonValue(),
          extensions: fc.jsonValue(),
        })
        .map((one) => JSON.stringify(one)),
    )
    .map((body) => ({ method: 'POST', path: '/graphql', headers: { ...json, ...token }, body })),
  variables: fc.record({ query: fc.constantFrom(...known), v: variable }).map(({ query: text, v }) => ({
    method: 'POST',
    path: '/graphql',
    headers: { ...json, ...token },
    body: JSON.stringify({ query: text, variables: { v } }),
  })),
  'GraphQL by GET': fc
    .record({ query, variables: fc.oneof(fc.json(), fc.string({ unit: 'binary' })) })
    .filter((one) => one.query.isWellFormed() && one.variables.isWellFormed())
    .map((one) => ({ method: 'GET', path: `/graphql?${new URLSearchParams(one)}`, headers: token })),
  multipart: fc
    .record({
      operations: fc.oneof(
        fc.json(),
        fc.string(),
        fc.constant(
          '{"query":"mutation ($f: File!) { uploadFile(file: $f, category: ARTWORK) { userErrors { code } } }","variables":{"f":null}}',
        ),
      ),
      map: fc.oneof(fc.json(), fc.string(), fc.constant('{"0":["variables.f"]}')),
      name: fc.string({ unit: 'grapheme' }),
      boundary: fc.constantFrom('x', 'yy'),
    })
    .map(({ operations, map, name, boundary }) => ({
      method: 'POST',
      path: '/graphql',
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, ...token },
      body: `--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n${operations}\r\n--x\r\ncontent-disposition: form-data; name="map"\r\n\r\n${map}\r\n--x\r\ncontent-disposition: form-data; name="0"; filename="${name}"\r\n\r\nbytes\r\n--x--\r\n`,
    })),
  'webhook bodies': fc
    .oneof(
      fc.json({ maxDepth: 6 }),
      fc.string({ unit: 'binary' }),
      fc
        .record({
          type: fc.oneof(
            fc.constantFrom('issue_complete', 'transfer_complete', 'collection_created'),
            fc.string(),
          ),
          payload: fc.jsonValue(),
        })
        .map((one) => JSON.stringify(one)),
      fc
        .array(
          fc.record(
            { externalId: fc.string({ unit: 'binary' }), tokenId: fc.jsonValue(), error: fc.jsonValue() },
            { requiredKeys: [] },
          ),
        )
        .map((payload) => JSON.stringify({ type: 'issue_complete', payload })),
    )
    .map((body) => ({
      method: 'POST',
      path: '/webhooks/commerce',
      headers: { ...json, 'x-api-key': loneWebhookKey },
      body,
    })),
  headers: fc
    .dictionary(
      fc.constantFrom(
        'accept',
        'accept-language',
        'authorization',
        'commerce-api-key',
        'content-type',
        'host',
        'origin',
        'x-forwarded-for',
        'last-event-id',
        'cookie',
        'if-none-match',
        'range',
      ),
      headerValue,
    )
    .map((headers) => ({ method: 'POST', path: '/graphql', headers, body: '{"query":"{ __typename }"}' })),
  'upload paths': fc
    .record({
      path: fc.oneof(
        fc.webPath(),
        headerValue.map((text) => encodeURI(text)),
        fc.string({ unit: 'grapheme' }).map((text) => `/artwork/${encodeURIComponent(text)}`),
      ),
      type: headerValue,
    })
    .map(({ path, type }) => ({
      method: 'PUT',
      path: `/uploads${path}`.replaceAll(/\s/g, '%20'),
      headers: { 'content-type': type, authorization: 'Bearer lone-token-read' },
      body: 'x',
    })),
  'plain HTTP': fc.oneof(
    fc
      .oneof(
        fc.webPath().map((path) => `/records${path}`),
        fc.string({ unit: 'grapheme' }).map((text) => `/issuances/${encodeURIComponent(text)}`),
        fc
          .array(fc.tuple(fc.oneof(restParameter, fc.string()), fc.oneof(restValue, fc.string())))
          .map((pairs) => `/records?${new URLSearchParams(pairs)}`),
      )
      .map((path) => ({ method: 'GET', path, headers: token })),
    fc
      .oneof(
        fc.json({ maxDepth: 6 }),
        fc.string({ unit: 'binary' }),
        fc
          .record({ requestId: fc.jsonValue(), entries: fc.array(restEntry), batching: fc.jsonValue() })
          .map((one) => JSON.stringify(one)),
      )
      .map((body) => ({ method: 'POST', path: '/issuances', headers: { ...json, ...token }, body })),
  ),
};

describe('random requests', () => {
  it.each(Object.entries(kinds))(
    '%s: the gateway does not fail, and serves the next request',
    async (_what, arbitrary) => {
      await fc.assert(
        fc.asyncProperty(arbitrary, async (sent) => {
          const { status, text } = await send(sent);
          expect(status).toBeGreaterThanOrEqual(200);
          // This gateway has no upstreams, so a valid request over plain HTTP gets 503.
          if (!text.includes('"code":"UPSTREAM_UNAVAILABLE"')) expect(status).toBeLessThan(500);
          expect(text).not.toMatch(/UNKNOWN_ERROR|node_modules|\n\s+at /);
        }),
        { numRuns: Math.ceil(inputs / Object.keys(kinds).length), seed, endOnFailure: true },
      );
      expect((await gateway.anonymous.ask('{ __typename }')).data).toEqual({ __typename: 'Query' });
    },
    1_800_000,
  );
});
