import fc, { type Arbitrary } from 'fast-check';
import type { TestIssuer } from '../_util/issuer.ts';
import { brokenBodies, deepBodies, poisonedBodies, textWithOddities, truncated } from './malformed-bodies.ts';

export interface MalformedRequest {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
  /** For messages: what is wrong with it. */
  what: string;
  /** Those that the document, or the surface's own protocol, has for it. */
  statuses: readonly number[];
  /** What its refusal looks like; an answer of the server itself is an envelope everywhere. */
  form: 'envelope' | 'graphql' | 'xml' | 'read' | 'content';
}

interface World {
  issuer: TestIssuer;
  /** A finalUrl that is ready. */
  image: string;
}

/** Requests that are all malformed, in every way and against every endpoint. */
export function malformedRequests(world: World): Arbitrary<MalformedRequest> {
  return fc.oneof(
    { weight: 70, arbitrary: commerce(world) },
    { weight: 8, arbitrary: wrongHeaders(world) },
    { weight: 6, arbitrary: control() },
    { weight: 4, arbitrary: subgraph() },
    { weight: 6, arbitrary: objects(world) },
    { weight: 6, arbitrary: paths(world) },
  );
}

const endpoints = ['signedUrls', 'fileMetadata', 'srrs', 'collection'] as const;
type Endpoint = (typeof endpoints)[number];

function wholeBodies({ issuer, image }: World): Record<Endpoint, object> {
  const files = [
    { filename: 'whole.png', category: 'artwork' },
    { filename: 'other.pdf', category: 'certificate' },
  ];
  const entry = issuer.entry(image, {
    to: issuer.address,
    attachmentFiles: [{ name: 'a.png', category: 'artwork', url: image }],
    externalUrls: ['https://example.test/'],
  });
  const metadata = issuer.metadata(image, {
    size: { width: 1, height: 2.5, depth: 3, unit: 'cm', flexibleDescription: { en: 'x' } },
    edition: { uniqueness: 'unique work', proofType: 'ED', number: 1, totalNumber: 3, note: { en: 'x' } },
    contractTerms: { royaltyRate: 15.7, fileURL: image },
    isDigital: true,
    chipUIDs: ['0123456789abcdef'],
    vendorCertICTagUIDs: ['0123456789abcdef'],
  });
  return {
    signedUrls: { action: 'write', payload: files },
    fileMetadata: { payload: files },
    srrs: { requestId: 'a-request', payload: [{ ...entry, metadata }] },
    collection: { payload: { name: 'Tides', symbol: 'TIDE', salt: `0x${'ab'.repeat(32)}` } },
  };
}

function commerce(world: World): Arbitrary<MalformedRequest> {
  const whole = wholeBodies(world);
  return fc.constantFrom(...endpoints).chain((endpoint) => {
    const text = JSON.stringify(whole[endpoint]);
    const bodies = fc.oneof(
      { weight: 8, arbitrary: named('a broken field', brokenBodies(whole[endpoint])) },
      { weight: 3, arbitrary: named('odd text', textWithOddities(whole[endpoint])) },
      { weight: 2, arbitrary: named('prototype keys', poisonedBodies(text)) },
      { weight: 3, arbitrary: named('truncated', truncated(text)) },
      { weight: 1, arbitrary: named('deep', deepBodies()) },
      { weight: 3, arbitrary: named('any JSON', fc.json({ maxDepth: 4 })) },
      {
        weight: 2,
        arbitrary: named(
          'a payload of anything',
          fc.json({ maxDepth: 3 }).map((json) => `{"payload":[${json}]}`),
        ),
      },
      { weight: 1, arbitrary: named('bytes', fc.uint8Array({ maxLength: 500 }).map(Buffer.from)) },
    );
    // 404 is the document's for files that are not there, which oddities of a name may come down to.
    const statuses = endpoint === 'fileMetadata' ? [400, 404] : [400];
    return bodies.map(({ what, body }) => ({
      method: 'POST' as const,
      path: `/port/api/v1/commerce/${endpoint}`,
      headers: rightHeaders(world),
      body,
      what,
      statuses,
      form: 'envelope' as const,
    }));
  });
}

function named<T extends string | Buffer>(what: string, bodies: Arbitrary<T>) {
  return bodies.map((body) => ({ what, body }));
}

function rightHeaders({ issuer }: World): Record<string, string> {
  return {
    'commerce-api-key': issuer.apiKey,
    'issuer-address': issuer.address,
    'content-type': 'application/json',
    accept: 'application/json',
  };
}

/** What a header may carry at all. */
const headerText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((n) => String.fromCharCode(n)),
});

function wrongHeaders(world: World): Arbitrary<MalformedRequest> {
  const right = rightHeaders(world);
  const types = fc.oneof(
    headerText,
    fc.constantFrom(
      'text/plain',
      'multipart/form-data',
      'application/xml',
      'application/jsonp',
      '/',
      ';',
      '',
    ),
  );
  return fc
    .record({
      endpoint: fc.constantFrom(...endpoints),
      wrong: fc.oneof(
        fc.record({ name: fc.constantFrom('commerce-api-key', 'issuer-address'), value: headerText }),
        fc.record({ name: fc.constantFrom('content-type'), value: types }),
        fc.record({
          name: fc.constantFrom('accept'),
          value: fc.constantFrom('text/html', 'x', '*', ';', ''),
        }),
      ),
      body: fc.json({ maxDepth: 2 }),
    })
    .map(({ endpoint, wrong, body }) => ({
      method: 'POST' as const,
      path: `/port/api/v1/commerce/${endpoint}`,
      headers: { ...right, [wrong.name]: wrong.value },
      body,
      what: `${wrong.name}: ${wrong.value}`,
      statuses: ['content-type', 'accept'].includes(wrong.name) ? [400] : [401],
      form: 'envelope' as const,
    }));
}

function control(): Arbitrary<MalformedRequest> {
  const bodies = fc.oneof(
    named(
      'any JSON',
      fc.json({ maxDepth: 3 }).map((json) => `{"hashDelayMs":${json},"kind":${json}}`),
    ),
    named('bytes', fc.uint8Array({ maxLength: 100 }).map(Buffer.from)),
    named('deep', deepBodies()),
  );
  return fc
    .record({ path: fc.constantFrom('/sandbox/settings', '/sandbox/faults'), body: bodies })
    .map(({ path, body: { what, body } }) => ({
      method: 'POST' as const,
      path,
      headers: { 'content-type': 'application/json' },
      body,
      what,
      statuses: [400],
      form: 'envelope' as const,
    }));
}

/** GraphQL has its own envelope, and its own habit of answering 200 with errors. */
function subgraph(): Arbitrary<MalformedRequest> {
  const query = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc
      .string({ maxLength: 60 })
      .map((text) => `{ srrs(where: { tokenId: ${JSON.stringify(text)} }) { nothing } }`),
    fc.integer().map((n) => `{ srrs(first: ${n * 2_000 + 1_001}, skip: -1) { id } }`),
  );
  const bodies = fc.oneof(
    query.map((text) => JSON.stringify({ query: text })),
    fc.json({ maxDepth: 3 }),
    deepBodies(),
    fc.string({ maxLength: 50 }),
  );
  return bodies.map((body) => ({
    method: 'POST' as const,
    path: '/subgraph',
    headers: { 'content-type': 'application/json' },
    body,
    what: body.slice(0, 200),
    statuses: [200, 400],
    form: 'graphql' as const,
  }));
}

/** Parts of a path: percent-encoded text of every kind, and percent signs that encode nothing. */
const segment = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom(
    '%00',
    '%ff',
    '%',
    '%zz',
    '..',
    '.',
    'a%00.png',
    '0x',
    '-1',
    'NaN',
    '1e999',
    '9'.repeat(300),
    'null',
  ),
  fc.constantFrom('a'.repeat(5_000), '%F0%9F%98%80'.repeat(100)),
);

/** The storage hosts, whose refusals are XML as those of object stores are. */
function objects({ issuer }: World): Arbitrary<MalformedRequest> {
  return fc
    .record({
      method: fc.constantFrom('GET', 'PUT'),
      place: fc.constantFrom('/storage/public', '/storage/private', '/static'),
      owner: fc.oneof(fc.constant(issuer.address), segment),
      category: fc.oneof(fc.constantFrom('artwork', 'certificate'), segment),
      name: segment,
      query: fc.oneof(
        fc.constant(''),
        segment.map((text) => `?Expires=${text}&Signature=${text}`),
      ),
    })
    .filter(({ method, place }) => method === 'GET' || place !== '/static')
    .map(({ method, place, owner, category, name, query }) => ({
      method: method as 'GET' | 'PUT',
      path: `${place}/${owner}/${category}/${name}${query}`,
      headers: (method === 'PUT' ? { 'content-type': 'image/png' } : {}) as Record<string, string>,
      body: method === 'PUT' ? 'x' : undefined,
      what: 'an object',
      statuses: [400, 403, 404],
      form: 'xml' as const,
    }));
}

/** Addresses that are read. A parameter that is merely unusual may be served. */
function paths({ issuer }: World): Arbitrary<MalformedRequest> {
  const { path: vendor } = issuer.info.vendor;
  const base = fc.constantFrom(
    '/port/api/v1/ownerAddress/*/ownedSrrs',
    '/port/api/v1/collection/*/srr/*',
    '/port/api/v1/srr/*',
    `/${vendor}/api/v1/licensedUser/*/collections`,
    `/${vendor}/api/v1/srr/metadata/*`,
    `/${vendor}/api/v1/srr/metadata/*/*`,
    '/api/v1/schema/*',
    '/ipfs/*',
    '/ipfs/*/*',
    '/port/api/v1/*',
    '/sandbox/deliveries',
    '/sandbox/*',
    '/*',
  );
  return fc.tuple(base, segment, segment, segment).map(([path, first, second, query]) => ({
    method: 'GET' as const,
    path: `${path.replace('*', () => first).replace('*', () => second)}?limit=${query}&page=${query}`,
    headers: {},
    body: undefined,
    what: 'a path',
    statuses: [200, 400, 404],
    form: path.startsWith('/ipfs/') ? ('content' as const) : ('read' as const),
  }));
}
