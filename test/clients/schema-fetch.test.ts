import { createHash, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { readMetadataSchema } from '@srr-gateway/common/metadata-schema';
import { silent } from '@srr-gateway/common/testing/database';
import { CID } from 'multiformats/cid';
import { sha256 } from 'multiformats/hashes/sha2';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createIpfs } from '../../src/clients/ipfs/ipfs.ts';
import { createSchemaSource } from '../../src/issuance/preflight/schema-source.ts';
import { createSchemaValidator } from '../../src/issuance/preflight/schema-validator.ts';
import { isLanguageTag, languageTag } from '../../src/model/language-tag.ts';
import { entry } from '../_util/entries.ts';
import { closedPort, reply, serve } from '../_util/http-server.ts';
import { type RecordedGateway, startRecordedGateway } from '../_util/recorded-gateway.ts';

type Json = Record<string, unknown>;

const path = (version: string) => `/api/v1/schema/registry-record-metadata.v${version}.schema.json`;
const schema: Json = { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } };
const digestOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('hex')}`;

/** A schema source with a service that answers as `handle` says; `read` also returns the time it took. */
async function sourceOver(
  handle: (response: ServerResponse, url: string) => unknown,
  { gateway, tryMs = 10_000 }: { gateway?: string; tryMs?: number } = {},
) {
  const service = await serve((request, response) => handle(response, request.url));
  const ipfs = createIpfs({ gateways: [gateway ?? (await closedPort())], log: silent });
  const source = createSchemaSource({ baseUrl: service.url, ipfs, log: silent, tryMs });
  onTestFinished(async () => void (await Promise.all([source.close(), ipfs.close()])));
  return {
    service,
    read: async (name = `${service.url}${path('2.3')}`) => {
      const startedAt = performance.now();
      const fetched = await source.read(name);
      return { fetched, ms: performance.now() - startedAt };
    },
  };
}

describe('a schema', () => {
  it('is fetched from the service only once', async () => {
    const { service, read } = await sourceOver((response) => reply(response, 200, schema));
    const [first, second] = [await read(), await read()];
    expect(first.fetched?.text).toContain('maxLength');
    expect(second.fetched).toBe(first.fetched);
    expect(service.received).toHaveLength(1);
  });

  it('has the digest of its bytes and the digest of its canonical form', async () => {
    const bytes = JSON.stringify({ type: 'object', $id: 'x' }, null, 2);
    const { read } = await sourceOver((response) => response.end(bytes));
    const { fetched } = await read();
    expect(fetched?.digests).toEqual(
      expect.arrayContaining([digestOf(bytes), digestOf('{"$id":"x","type":"object"}')]),
    );
    expect(fetched?.digests).not.toContain(digestOf('{}'));
  });

  const elsewhere = 'http://127.0.0.1:9';
  it.each([
    ['another host', `${elsewhere}${path('2.3')}`],
    ['another path of the service', '/port/api/v1/commerce/srrs'],
    ['a path with a query', `${path('2.3')}?x=1`],
    ['a path with ..', `/api/v1/schema/../schema/x/registry-record-metadata.v2.3.schema.json`],
    ['a path below a CID', 'ipfs://bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay/a/b'],
    ['a name without an address', 'registry-record-metadata'],
  ])('is not fetched from %s', async (_, name) => {
    const { service, read } = await sourceOver((response) => reply(response, 200, schema));
    expect((await read(name.startsWith('/') ? `${service.url}${name}` : name)).fetched).toBeUndefined();
    expect(service.received).toEqual([]);
  });

  const hostile: [what: string, handle: (response: ServerResponse) => unknown][] = [
    ['never answers', () => {}],
    [
      'is longer than 256 KB',
      (response) => reply(response, 200, { ...schema, title: 'x'.repeat(256 * 1024) }),
    ],
    ['sends without end', (response) => sendFor(response, 100 * 1024 * 1024)],
    ['sends one byte and stalls', (response) => void response.write('{')],
    ['answers 404', (response) => reply(response, 404, {})],
    ['answers 500', (response) => reply(response, 500, {})],
    ['answers with HTML', (response) => response.end('<html>')],
    ['answers with a list', (response) => reply(response, 200, [])],
    ['answers with deep nesting', (response) => response.end('['.repeat(50_000))],
  ];
  it.each(hostile)(
    'of a service that %s is given up within seconds, and not retried at once',
    async (_, handle) => {
      const { service, read } = await sourceOver(handle, { tryMs: 400 });
      const first = await read();
      expect(first.fetched).toBeUndefined();
      expect(first.ms).toBeLessThan(3_000);
      expect((await read()).fetched).toBeUndefined();
      expect(service.received).toHaveLength(1);
    },
  );

  it('is not fetched through a redirect', async () => {
    const other = await serve((_, response) => reply(response, 200, schema));
    const { read } = await sourceOver((response) =>
      response.writeHead(302, { location: `${other.url}${path('2.3')}` }).end(),
    );
    expect((await read()).fetched).toBeUndefined();
    expect(other.received).toEqual([]);
  });

  it('with a CID is fetched from IPFS, and its bytes must match the CID', async () => {
    const bytes = Buffer.from(JSON.stringify(schema));
    const right = CID.createV1(0x55, await sha256.digest(bytes));
    const wrong = CID.createV1(0x55, await sha256.digest(Buffer.from('other')));
    const gateway = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'application/vnd.ipld.raw' }).end(bytes),
    );
    const { service, read } = await sourceOver((response) => reply(response, 200, schema), {
      gateway: gateway.url,
    });
    expect((await read(`ipfs://${right}`)).fetched?.text).toContain('maxLength');
    expect((await read(`https://cdn.test/ipfs/${right}`)).fetched?.text).toContain('maxLength');
    expect((await read(`ipfs://${wrong}`)).fetched).toBeUndefined();
    expect(service.received).toEqual([]);
  });
});

/** Sends a body of about this many bytes, until the reader has had enough. */
async function sendFor(response: ServerResponse, bytes: number): Promise<void> {
  const piece = Buffer.alloc(64 * 1024, ' ');
  const pieces = Array.from({ length: Math.ceil(bytes / piece.length) }, () => piece);
  await pipeline(pieces, response).catch(() => {});
}

describe('a fetched schema', () => {
  const judge = createSchemaValidator({ log: silent, waitMs: 30_000 });
  afterAll(() => judge.close());
  // A schema that took too long is refused for ten minutes, so each call has another.
  const faults = (of: Json, document: Json) =>
    judge.faultsOf(JSON.stringify({ ...of, $comment: randomUUID() }), [document]);

  it('reports faults with their paths', async () => {
    const found = await faults({ ...schema, required: ['title'] }, { name: 'too long' });
    expect(found?.[0]?.map(({ path: place }) => place)).toEqual([['title'], ['name']]);
  });

  it('cannot restrict addresses', async () => {
    const strict = {
      properties: { $schema: { const: 'x' }, image: { pattern: '^ipfs://', type: 'string' } },
    };
    expect(await faults(strict, { $schema: 'y', image: 'https://static.test/a.png' })).toEqual([[]]);
    expect((await faults(strict, { image: 5 }))?.[0]).toHaveLength(1);
  });

  it.each([
    ['refers to another document', { $ref: 'http://127.0.0.1:9/other.json' }, {}],
    ['has an unknown dialect', { $schema: 'http://127.0.0.1:9/dialect' }, {}],
    ['has an invalid pattern', { properties: { name: { pattern: '(' } } }, { name: 'x' }],
    ['is asynchronous', { $async: true, required: ['never'] }, {}],
    [
      'has a pattern with exponential backtracking',
      { properties: { name: { pattern: '^(a|a)*$' } } },
      { name: `${'a'.repeat(60)}!` },
    ],
    ['expands exponentially', unfolding(40), { a: 1 }],
  ])('that %s is not used, and does not block the gateway', async (_, of: Json, document: Json) => {
    let turns = 0;
    const timer = setInterval(() => turns++, 10);
    const startedAt = performance.now();
    expect(await faults(of, document)).toBeUndefined();
    const ms = performance.now() - startedAt;
    clearInterval(timer);
    expect(ms).toBeLessThan(15_000);
    // The main thread kept running meanwhile.
    expect(turns).toBeGreaterThanOrEqual(Math.floor(ms / 200));
    expect(await faults({ required: ['x'] }, {})).toMatchObject([[{ path: ['x'] }]]);
  });
});

/** A schema in which each definition refers twice to the one before. */
function unfolding(depth: number): Json {
  const twice = (i: number) => ({
    allOf: [{ $ref: `#/definitions/d${i}` }, { $ref: `#/definitions/d${i}` }],
  });
  const definitions = Object.fromEntries(
    Array.from({ length: depth }, (_, i) => [`d${i}`, i === 0 ? { required: ['x'] } : twice(i - 1)]),
  );
  return { definitions, ...twice(depth - 1) };
}

describe('the preflight', () => {
  let recorded: RecordedGateway;
  /** The schemas of the service, by the file name of their version. */
  const served = new Map<string, string>();
  beforeAll(async () => {
    recorded = await startRecordedGateway();
    recorded.service.answerInstead = ({ call }) => {
      const text = served.get(call);
      return text === undefined ? undefined : { status: 200, text };
    };
  });
  afterAll(() => recorded?.stop());

  const report = async (metadata: Json, form = 'metadata') => {
    const { metadata: _, ...rest } = entry(recorded.gateway.info, 'x', {});
    const { validateSRRs } = await recorded.gateway.caller.data(
      `query ($entries: [IssueEntryInput!]!) {
        validateSRRs(entries: $entries) { valid userErrors { path message } warnings { code path } }
      }`,
      { entries: [{ ...rest, [form]: metadata }] },
    );
    return validateSRRs;
  };
  const file = 'ipfs://bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e';
  const same = { name: 'Harbour', title: { en: 't' }, medium: { en: 'm' }, yearOfCreation: { en: 'y' } };
  const typed = (version: string) => ({
    ...same,
    schemaVersion: version,
    thumbnail: { ipfs: file },
    image: { ipfs: file },
  });
  const json = (version: string, over: Json = {}) => ({
    ...same,
    thumbnailURL: file,
    image: file,
    $schema: `${recorded.service.url}${path(version)}`,
    ...over,
  });
  const serveSchema = (version: string, text: string) =>
    served.set(path(version).split('/').at(-1) ?? '', text);

  /** Minor versions of the runs: a schema that took too long is refused for ten minutes. */
  let minor = 10;

  it('checks a later version against the schema of the service', async () => {
    const version = `2.${minor++}`;
    serveSchema(
      version,
      JSON.stringify({
        title: version,
        properties: { name: { maxLength: 5 }, thumbnailURL: { maxLength: 1 } },
        required: ['era'],
      }),
    );
    // On a busy machine the thread may start too late for the first call, which then uses shipped schemas.
    await expect.poll(async () => (await report(typed(version))).valid, { timeout: 20_000 }).toBe(false);
    const answer = await report(json(version), 'metadataJson');
    expect(answer).toMatchObject({ valid: false, warnings: [] });
    expect(answer.userErrors.map((fault: { path: string[] }) => fault.path.slice(2).join('.'))).toEqual([
      'metadataJson.era',
      'metadataJson.name',
    ]);
    const typedFaults = (await report(typed(version))).userErrors.map((fault: { path: string[] }) =>
      fault.path.slice(2).join('.'),
    );
    expect(typedFaults).toEqual(['metadata.era', 'metadata.name']);
  });

  it('accepts a version without an available schema, with a warning', async () => {
    expect(await report(typed('3.4'))).toEqual({
      valid: true,
      userErrors: [],
      warnings: [{ code: 'METADATA_INVALID', path: ['entries', '0', 'metadata', 'schemaVersion'] }],
    });
    expect(await report(json('3.4', { news: 1 }), 'metadataJson')).toEqual({
      valid: true,
      userErrors: [],
      warnings: [{ code: 'METADATA_INVALID', path: ['entries', '0', 'metadataJson', '$schema'] }],
    });
  });

  it('accepts as $schemaIntegrity only the digest of the schema of the service', async () => {
    const text = JSON.stringify({ type: 'object' }, null, 3);
    serveSchema('2.8', text);
    const faultsWith = async (digest: string) =>
      (await report(json('2.8', { $schemaIntegrity: digest }), 'metadataJson')).userErrors;
    expect(await faultsWith(digestOf(text))).toEqual([]);
    expect(await faultsWith(digestOf('other'))).toMatchObject([
      { path: ['entries', '0', 'metadataJson', '$schemaIntegrity'] },
    ]);
    // Nothing is known of a schema that is not available.
    const unknown = await report(json('3.5', { $schemaIntegrity: digestOf('any') }), 'metadataJson');
    expect(unknown).toMatchObject({
      valid: true,
      warnings: [{}, { path: ['entries', '0', 'metadataJson', '$schemaIntegrity'] }],
    });
  });

  it('falls back to the shipped schema when the schema of the service is unusable', async () => {
    serveSchema('2.1', '{"$ref":"http://127.0.0.1:9/"}');
    const answer = await report(json('2.1', { title: undefined, attributes: [] }), 'metadataJson');
    expect(answer.userErrors.map((fault: { path: string[] }) => fault.path.at(-1))).toEqual([
      'title',
      'attributes',
    ]);
  });
});

describe('a language tag', () => {
  it.each([
    'en',
    'EN',
    'ja',
    'zh-Hant',
    'zh-cmn-Hans-CN',
    'gsw',
    'sl-rozaj-biske',
    'de-CH-1901',
    'es-419',
    'en-a-myext-b-another',
    'x-whatever',
    'ar-x-artist',
  ])('may be %s', (tag) => expect(isLanguageTag(tag)).toBe(true));
  it.each(['', 'e', 'english', 'zh_Hant', 'en-', '-en', 'x', 'en-a', 'de-419-DE', 'a-DE', 'en us', 'noël'])(
    'may not be "%s"',
    (tag) => expect(isLanguageTag(tag)).toBe(false),
  );

  it.each(['2.0', '2.1', '2.2'])('has the same pattern as in the schema of version %s', (version) => {
    const { definitions } = readMetadataSchema(version, 'vendor') as {
      definitions: { languageMap: { patternProperties: object } };
    };
    expect(Object.keys(definitions.languageMap.patternProperties)).toEqual([languageTag.source]);
  });
});
