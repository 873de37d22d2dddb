import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { generateSource } from 'oazapfts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';
import { project } from '../_util/gateway-process.ts';
import * as client from '../_util/rest-client.ts';

const file = join(project, 'schema/openapi.json');
const document = JSON.parse(readFileSync(file, 'utf8'));
const picture = { ipfs: 'ipfs://bafkreibh4jhrzebainfupwbww6s5w6mz6mx4uum6dcbbfshqzxthhybfte' };
const authorization = `Bearer ${testToken}`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  client.defaults.baseUrl = gateway.app.url;
});
afterAll(() => gateway?.stop());

const headers = { authorization, 'content-type': 'application/json' };
const get = (path: string, more: Record<string, string> = {}) =>
  fetch(`${gateway.app.url}${path}`, { headers: more });
const post = (body: object, more: Record<string, string> = {}) =>
  fetch(`${gateway.app.url}/issuances`, {
    method: 'POST',
    headers: { ...headers, ...more },
    body: JSON.stringify(body),
  });
const entries = (...externalIds: string[]) =>
  externalIds.map((externalId) => entry(gateway.info, externalId, picture)) as client.IssueEntryInput[];

/** Issues records with the generated client; returns their token ids when the subgraph has them. */
async function issue(requestId: string, ...externalIds: string[]) {
  const response = await client.issueRecords({ requestId, entries: entries(...externalIds) }, { headers });
  expect(response).toMatchObject({ status: 202, data: { requestId } });
  let tokens: string[] = [];
  const follow = async () => {
    const found = await client.getIssuance(requestId, {}, { headers });
    const { items } = found.status === 200 && 'entries' in found.data ? found.data.entries : { items: [] };
    tokens = (items ?? []).flatMap((one) => (one?.srr?.indexing === 'INDEXED' ? [one.srr.tokenId] : []));
    return tokens.length;
  };
  // `expect.poll` does not work in hooks, which call this too.
  await vi.waitFor(async () => expect(await follow()).toBe(externalIds.length), 20_000);
  return tokens;
}

describe('the OpenAPI document', () => {
  it('is valid, and the gateway serves it', async () => {
    await SwaggerParser.validate(file);
    const served = await get('/openapi.json');
    expect(served.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await served.json()).toEqual(document);
    const again = await get('/openapi.json', { 'if-none-match': served.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });

  it('has a valid example for each response and body', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'openapi');
    let count = 0;
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if ('schema' in value && 'example' in value) {
        const fits = ajv.compile({ $ref: `openapi#${path}/schema` });
        expect(fits(value.example), `${path}: ${ajv.errorsText(fits.errors)}`).toBe(true);
        count++;
      }
      for (const [name, one] of Object.entries(value))
        walk(one, `${path}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
    };
    walk(document.paths, '/paths');
    expect(count).toBeGreaterThan(9);
    const tags = document.tags.map(({ name }: { name: string }) => name);
    for (const [path, item] of Object.entries<Record<string, { responses?: object; tags?: string[] }>>(
      document.paths,
    ))
      for (const [method, { responses, tags: own = [] }] of Object.entries(item)) {
        if (!responses) continue;
        const hasExample = '206' in responses || JSON.stringify(responses).includes('"example"');
        expect(hasExample, `${method} ${path}: give its operation an example in src/rest/examples.ts`).toBe(
          true,
        );
        expect(tags, `${method} ${path}: describe its tag in src/rest/openapi.ts`).toEqual(
          expect.arrayContaining(own),
        );
      }
  });

  it('has schemas as strict as the gateway', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'openapi');
    const fits = ajv.compile({
      $ref: 'openapi#/paths/~1issuances/post/requestBody/content/application~1json/schema',
    });
    const [good] = entries('x');
    expect(fits({ requestId: 'x', entries: [good] }), ajv.errorsText(fits.errors)).toBe(true);
    expect(fits({ entries: [good] })).toBe(false);
    expect(fits({ requestId: 'x', entries: [{ ...good, other: 1 }] })).toBe(false);
    const both = { ...picture, upload: 'x' };
    const metadata = { ...good?.metadata, image: both };
    expect(fits({ requestId: 'x', entries: [{ ...good, metadata }] })).toBe(false);
  });
});

describe('a generated client', () => {
  it('is up to date with the document', async () => {
    expect(readFileSync(join(project, 'test/_util/rest-client.ts'), 'utf8')).toBe(
      (await generateSource(file, {})) as never,
    );
  });

  it('issues a record and reads it', async () => {
    const name = randomUUID();
    const [tokenId = ''] = await issue(`request ${name}`, name);
    const read = await client.getRecord(tokenId);
    expect(read).toMatchObject({
      status: 200,
      data: {
        tokenId,
        owner: gateway.issuer.address,
        indexing: 'INDEXED',
        metadataStatus: 'VERIFIED',
        metadata: { name, title: { all: { ja: '無題' } }, medium: { text: 'Oil on canvas' } },
        provenance: { items: [] },
      },
    });
    const listed = await client.listRecords({ tokenIds: [tokenId, '1'], owner: gateway.issuer.address });
    expect(listed).toMatchObject({ status: 200, data: { items: [{ tokenId }] } });
    const by = 'metadataCID' in read.data ? (read.data.metadataCID ?? '') : '';
    const byCid = await client.listRecords({ metadataCiDs: [by] });
    expect(byCid).toMatchObject({ data: { items: [{ metadataCID: by }] } });
  });

  it('returns problems as data', async () => {
    const answer = await client.getRecord('1');
    expect(answer).toMatchObject({ status: 404, data: { code: 'NOT_FOUND', parameter: 'tokenId' } });
  });
});

describe('plain HTTP', () => {
  let tokens: string[];
  beforeAll(async () => {
    tokens = await issue('pages', ...['a', 'b', 'c', 'd', 'e'].map((name) => `page-${name}`));
  });

  it('returns the same data as GraphQL', async () => {
    const [tokenId] = tokens;
    const { srr } = await gateway.anonymous.data(
      'query ($tokenId: TokenId!) { srr(tokenId: $tokenId) { id owner createdAt royalty { percent } metadata { name } } }',
      { tokenId },
    );
    const record = await (await get(`/records/${tokenId}`)).json();
    expect(record).toMatchObject({ ...srr, metadata: expect.objectContaining(srr.metadata) });
  });

  it('pages forward and backward by Link headers', async () => {
    const linkIn = ({ headers }: Response, rel: string) =>
      new RegExp(`<([^>]+)>; rel="${rel}"`).exec(headers.get('link') ?? '')?.[1];
    const walk = async (path: string, rel: string, seen: string[] = []): Promise<string[]> => {
      const response = await get(path);
      const { items } = (await response.json()) as { items: { tokenId: string }[] };
      expect(items.length).toBeLessThanOrEqual(2);
      seen.push(...items.map(({ tokenId }) => tokenId));
      const next = linkIn(response, rel);
      return next === undefined ? seen : walk(next, rel, seen);
    };
    const query = tokens.map((tokenId) => `tokenIds=${tokenId}`).join('&');
    const forward = await walk(`/records?first=2&orderBy=TOKEN_ID_ASC&${query}`, 'next');
    expect(forward).toEqual([...tokens].sort());
    const backward = await walk(`/records?last=2&orderBy=TOKEN_ID_ASC&${query}`, 'prev');
    expect(backward.sort()).toEqual([...tokens].sort());
    // A link in the other direction leads to a page of the same size.
    let page = await get(`/records?last=2&orderBy=TOKEN_ID_ASC&${query}`);
    for (let prev = linkIn(page, 'prev'); prev; prev = linkIn(page, 'prev')) page = await get(prev);
    const rest = await walk(linkIn(page, 'next') ?? '', 'next');
    expect(rest).toEqual(forward.slice(tokens.length % 2 || 2));
    const second = await get(
      linkIn(await get(`/records?first=2&orderBy=TOKEN_ID_ASC&${query}`), 'next') ?? '',
    );
    const first = (await (await get(linkIn(second, 'prev') ?? '')).json()) as {
      items: { tokenId: string }[];
    };
    expect(first.items.map(({ tokenId }) => tokenId)).toEqual(forward.slice(0, 2));
    // An empty page has no link, which would lead to itself.
    expect((await get('/records?first=0')).headers.has('link')).toBe(false);
  });

  it('pages through the entries of an issuance, and filters them by status', async () => {
    const first = await get('/issuances/pages?first=3', headers);
    const { entries: page } = (await first.json()) as { entries: { items: { externalId: string }[] } };
    expect(page.items.map(({ externalId }) => externalId)).toEqual(['page-a', 'page-b', 'page-c']);
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await get(next, headers);
    expect(await second.json()).toMatchObject({
      entries: { items: [{ externalId: 'page-d' }, { externalId: 'page-e' }] },
    });
    expect(second.headers.has('link')).toBe(false);
    const failed = await get('/issuances/pages?status=FAILED', headers);
    expect(await failed.json()).toMatchObject({ entries: { items: [] } });
  });

  it.each([
    ['/issuances/pages?after=x', 'after'],
    ['records', 'transfersAfter'],
  ])('refuses an invalid cursor, also for a list within the response: %s', async (path, name) => {
    const refused = await get(path === 'records' ? `/records/${tokens[0]}?transfersAfter=x` : path, headers);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'INVALID_INPUT', parameter: name }),
    ]);
  });

  it('lets caches store public responses only', async () => {
    const path = `/records/${tokens[0]}`;
    const open = await get(path);
    const etag = open.headers.get('etag') ?? '';
    // Weak, because a compressed response has the same ETag and other bytes.
    expect(etag).toMatch(/^W\/".+"$/);
    expect(open.headers.get('cache-control')).toMatch(/^public, max-age=/);
    expect(open.headers.get('vary')).toContain('authorization');
    const unchanged = await get(path, { 'if-none-match': etag });
    expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
    for (const known of ['*', etag.slice(2), `"other", ${etag}`])
      expect((await get(path, { 'if-none-match': known })).status, known).toBe(304);
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    for (const [of, more] of [
      [path, { authorization }],
      ['/issuances/pages', { authorization }],
      ['/records?first=x', {}],
    ] as const) {
      const closed = await get(of, more as Record<string, string>);
      expect(closed.headers.get('etag')).toBeNull();
      expect(closed.headers.get('cache-control')).toMatch(/^private/);
    }
    const head = await fetch(`${gateway.app.url}${path}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
  });

  it.each([
    ['an issuer', () => authorization, 400],
    ['a stranger', () => 'Bearer made-up', 401],
  ])('refuses a request with 300,000 faults with a short response: from %s', async (_who, token, status) => {
    const body = `{"requestId": "faults", "entries": [${'{},'.repeat(300_000)}{}]}`;
    const response = await fetch(`${gateway.app.url}/issuances`, {
      method: 'POST',
      headers: { authorization: token(), 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBe(status);
    expect((await response.text()).length).toBeLessThan(50_000);
  });

  it('chooses texts by Accept-Language', async () => {
    const read = async (language: string) =>
      (await get(`/records/${tokens[0]}`, { 'accept-language': language })).json();
    expect(await read('ja')).toMatchObject({ metadata: { title: { text: '無題', language: 'ja' } } });
    expect(await read('en')).toMatchObject({ metadata: { title: { language: 'en' } } });
  });

  it('issues each requestId only once', async () => {
    const body = { requestId: 'once/and again?', entries: entries('once-1') };
    const [one, other] = await Promise.all([post(body), post(body)]);
    const ids = await Promise.all(
      [one, other].map(async (each) => ((await each.json()) as { id: string }).id),
    );
    expect(ids[0]).toBe(ids[1]);
    const location = one.headers.get('location') ?? '';
    expect(location).toBe('/issuances/once%2Fand%20again%3F');
    await expect
      .poll(async () => (await (await get(location, headers)).json()) as object, { timeout: 20_000 })
      .toMatchObject({ id: ids[0], status: 'COMPLETED' });
    const late = await post(body);
    expect([late.status, ((await late.json()) as { id: string }).id]).toEqual([200, ids[0]]);
    const conflict = await post({ ...body, entries: entries('once-2') });
    expect(conflict.status).toBe(409);
    expect(await conflict.json()).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT', pointer: '#/requestId' });
  });

  it('shows an issuance to its issuer only', async () => {
    const other = await get('/issuances/pages', { authorization: `Bearer ${testToken}-1` });
    expect(other.status).toBe(404);
    expect(await other.json()).toMatchObject({ code: 'NOT_FOUND', parameter: 'requestId' });
  });

  it('reports the same faults as the mutation, with JSON pointers', async () => {
    const bad = entry(gateway.info, 'bad', { ipfs: 'ipfs://nothing' });
    const response = await post({ requestId: 'bad', entries: [...entries('good'), bad] });
    const { errors } = await gateway.caller
      .data(
        `mutation ($entries: [IssueEntryInput!]!) {
          issueSRRs(input: { requestId: "bad", entries: $entries }) { userErrors { code message path } }
        }`,
        { entries: [...entries('good'), bad] },
      )
      .then(({ issueSRRs }) => ({ errors: issueSRRs.userErrors }));
    expect(response.status).toBeGreaterThanOrEqual(400);
    const problem = (await response.json()) as { errors: object[] };
    expect(problem.errors).toEqual(
      errors.map(({ code, message, path }: { code: string; message: string; path: string[] }) =>
        expect.objectContaining({ code, detail: message, pointer: `#/${path.slice(1).join('/')}` }),
      ),
    );
    expect(JSON.stringify(problem)).toContain('#/entries/1/metadata/');
  });

  it('reads and writes files with the same credentials', async () => {
    const filename = `${randomUUID()}.png`;
    const path = `/uploads/artwork/${filename}`;
    const stored = await fetch(`${gateway.app.url}${path}`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'image/png' },
      body: 'no picture',
    });
    expect(await stored.json()).toEqual({ stored: { category: 'artwork', filename } });
    expect(await (await get(path, { authorization })).text()).toBe('no picture');
  });

  it('names the valid categories when the category of a file is wrong', async () => {
    const response = await get('/uploads/ARTWORK/rest-file.png', { authorization });
    const message = expect.stringContaining('one of non_attachment_file, artwork,');
    expect(await response.json()).toMatchObject({ error: { code: 'CATEGORY_INVALID', message } });
  });
});
