import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoneGateway, startLoneGateway } from '../_util/lone-gateway.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/clients.md'), 'utf8');

/** Each code of the guide's table of refusals, with the statuses that stand beside it. */
const refusals = new Map(
  [...guide.matchAll(/^\| (`[A-Z_`, ]+`) \| ([\d, ]+) \|/gm)].flatMap(([, codes = '', statuses = '']) =>
    [...codes.matchAll(/`([A-Z_]+)`/g)].map(([, code = '']) => [code, statuses.split(', ').map(Number)]),
  ),
);

const typed = 'application/graphql-response+json';
const post = (body: object | string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { accept: typed, 'content-type': 'application/json', ...headers },
});
const persisted = (version: number, sha256Hash: string) => ({ persistedQuery: { version, sha256Hash } });
const two = 'query A { __typename } query B { __typename }';

const provoked: [code: string, status: number, request: RequestInit, search?: string][] = [
  ['GRAPHQL_PARSE_FAILED', 400, post({ query: '{' })],
  ['GRAPHQL_VALIDATION_FAILED', 400, post({ query: '{ nobody }' })],
  ['OPERATION_RESOLUTION_FAILURE', 400, post({ query: two })],
  ['OPERATION_RESOLUTION_FAILURE', 400, post({ query: two, operationName: 'C' })],
  ['BAD_REQUEST', 400, post({ query: '{ __typename }', unknown: 1 })],
  ['BAD_REQUEST', 400, post('{')],
  ['BAD_REQUEST', 400, post('{}', { 'content-type': 'multipart/form-data; boundary=x' })],
  ['BAD_REQUEST', 405, {}, `?query=${encodeURIComponent('mutation { __typename }')}`],
  ['LIMIT_EXCEEDED', 400, post([{ query: '{ __typename }' }, { query: '{ __typename }' }])],
  ['LIMIT_EXCEEDED', 413, post(`{"query":"{ __typename }"${' '.repeat(100_000)}}`)],
  ['PERSISTED_QUERY_NOT_FOUND', 200, post({ extensions: persisted(1, '0'.repeat(64)) })],
  ['PERSISTED_QUERY_MISMATCH', 400, post({ query: '{ __typename }', extensions: persisted(1, '00') })],
  ['PERSISTED_QUERY_NOT_SUPPORTED', 400, post({ extensions: persisted(2, '00') })],
];

describe('the guide for clients', () => {
  let gateway: LoneGateway;
  beforeAll(async () => {
    gateway = await startLoneGateway();
  });
  afterAll(() => gateway?.stop());

  const ask = async (request: RequestInit, search = '') => {
    const response = await fetch(`${gateway.address}/graphql${search}`, request);
    const { errors = [], ...rest } = (await response.json()) as { errors?: { extensions: object }[] };
    return { status: response.status, errors, rest };
  };

  it.each(provoked)('documents %s (%i) as the gateway sends it', async (code, status, request, search) => {
    expect(refusals.get(code)).toContain(status);
    const answer = await ask(request, search);
    expect(answer).toMatchObject({ status, errors: [{ extensions: { code } }] });
    expect(answer.rest).not.toHaveProperty('data');
  });

  it('documents LENGTH_REQUIRED (411) as the gateway sends it', async () => {
    expect(refusals.get('LENGTH_REQUIRED')).toEqual([411]);
    const body = new Blob(['{"query":"{ __typename }"}']).stream();
    const headers = { 'content-type': 'application/json' };
    const chunked: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half', headers };
    const answer = await ask(chunked);
    expect(answer).toMatchObject({ status: 411, errors: [{ extensions: { code: 'LENGTH_REQUIRED' } }] });
  });

  it('documents DOCUMENT_NOT_TRUSTED, and no code without a test here', () => {
    expect(refusals.get('DOCUMENT_NOT_TRUSTED')).toEqual([403]);
    const tested = [...provoked.map(([code]) => code), 'LENGTH_REQUIRED', 'DOCUMENT_NOT_TRUSTED'];
    expect([...refusals.keys()].toSorted()).toEqual([...new Set(tested)].toSorted());
  });

  const query = 'query ($n: Int!) { srrs(first: $n) { edges { cursor } } }';
  it.each([
    { query: '{' },
    { query: '{ nobody }' },
    {},
    { query: '{ a '.repeat(20) + '}'.repeat(20) },
    { query },
    { query, variables: { n: 'x' } },
    { query, variables: { n: 'x'.repeat(2_000) } },
  ])('is right that %.99j gets 200 unless Accept has the new media type', async (body) => {
    expect(await ask(post(body, { accept: 'application/json' }))).toMatchObject({ status: 200 });
    expect(await ask(post(body))).toMatchObject({ status: 400 });
  });

  it('is right that invalid credentials are refused even for public data', async () => {
    const refused = { status: 401, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] };
    const headers = { authorization: 'Bearer nobody-has-this' };
    expect(await ask(post({ query: '{ __typename }' }, headers))).toMatchObject(refused);
  });
});
