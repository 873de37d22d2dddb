import fc, { type Arbitrary } from 'fast-check';
import {
  brokenBodies,
  deepBodies,
  named,
  poisonedBodies,
  textWithOddities,
  truncated,
} from './malformed-bodies.ts';
import type { MalformedRequest, World } from './malformed-request.ts';
import { filledIn, type Placed } from './open-api.ts';

/** GraphQL has its own envelope, and answers 200 with errors. */
export function malformedQueries(): Arbitrary<MalformedRequest> {
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
    operation: 'post /subgraph',
    path: '/subgraph',
    headers: { 'content-type': 'application/json' },
    body,
    what: body.slice(0, 200),
    statuses: [200, 400],
    form: 'graphql' as const,
  }));
}

/** Parts of a path: percent-encoded text of every kind, and percent signs that encode nothing. */
export const segment = fc.oneof(
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

/** The storage hosts, whose refusals are XML, as those of object stores. */
export function malformedObjects({ issuer }: World): Arbitrary<MalformedRequest> {
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
      operation:
        place === '/static'
          ? 'get /static/{issuer}/{category}/{filename}'
          : `${method.toLowerCase()} /storage/{bucket}/{issuer}/{category}/{filename}`,
      path: `${place}/${owner}/${category}/${name}${query}`,
      headers: (method === 'PUT' ? { 'content-type': 'image/png' } : {}) as Record<string, string>,
      body: method === 'PUT' ? 'x' : undefined,
      what: 'an object',
      statuses: [400, 403, 404],
      form: 'xml' as const,
    }));
}

/** The control endpoints, from the examples of their documented bodies. */
export function malformedControl({ operations }: World): Arbitrary<MalformedRequest> {
  const withBody = operations.filter(({ tags, requestBody }) => tags.includes('Test mode') && requestBody);
  return fc.constantFrom(...withBody).chain((operation) => {
    const { body: text = '', path } = filledIn(operation);
    const example = JSON.parse(text) as object;
    const bodies = fc.oneof(
      { weight: 4, arbitrary: named('a broken field', brokenBodies(example)) },
      { weight: 1, arbitrary: named('odd text', textOr(example)) },
      { weight: 1, arbitrary: named('prototype keys', poisonedBodies(text)) },
      { weight: 1, arbitrary: named('truncated', truncated(text)) },
      { weight: 1, arbitrary: named('deep', deepBodies()) },
      { weight: 1, arbitrary: named('bytes', fc.uint8Array({ maxLength: 100 }).map(Buffer.from)) },
    );
    return bodies.map(({ what, body }) => ({
      method: 'POST' as const,
      operation: nameOf(operation),
      path,
      headers: { 'content-type': 'application/json' },
      body,
      what,
      statuses: [400],
      form: 'envelope' as const,
    }));
  });
}

/** For examples without text it changes a key. */
function textOr(example: object): Arbitrary<string> {
  const hasText = Object.values(example).some((value) => typeof value === 'string');
  return hasText ? textWithOddities(example) : fc.constant(JSON.stringify({ ...example, 'a\0': 1 }));
}

/** URLs with parameters of every kind. One that is only unusual may be served. */
export function malformedPaths({ operations }: World): Arbitrary<MalformedRequest> {
  const documented = operations.filter(({ tags, requestBody }) => !requestBody && !tags.includes('Storage'));
  const anywhere = ['/ipfs/*/*', '/port/api/v1/*', '/sandbox/*', '/docs/*', '/docs/static/*', '/*'];
  const pages = ['/', '/docs', '/docs/', '/docs/json', '/docs/yaml', '/docs/openapi.json'];
  // The IPFS gateway answers 406 to a format that it does not serve.
  const read = [200, 400, 404, 406];
  const targets = [
    ...documented.map((operation) => ({
      operation: nameOf(operation),
      method: operation.method.toUpperCase() as MalformedRequest['method'],
      pattern: operation.path.replaceAll(/\{\w+\}/g, '*'),
      // The server refuses overlong and invalid paths before the route.
      statuses: [...Object.keys(operation.responses).map(Number), 400, 404],
    })),
    ...pages.map((page) => ({
      operation: `get ${page}`,
      method: 'GET' as const,
      pattern: page,
      statuses: read,
    })),
    ...anywhere.map((pattern) => ({ operation: undefined, method: 'GET' as const, pattern, statuses: read })),
  ];
  const query = fc.constantFrom('limit', 'page', 'status', 'format', 'x');
  return fc
    .record({
      target: fc.constantFrom(...targets),
      segments: fc.tuple(segment, segment),
      query: fc.tuple(query, query, segment),
      body: fc.option(fc.oneof(fc.json({ maxDepth: 2 }), fc.string({ maxLength: 20 }), deepBodies())),
    })
    .map(({ target: { pattern, method, ...target }, segments, query: [one, other, value], body }) => ({
      ...target,
      method,
      path: `${pattern.replace('*', () => segments[0]).replace('*', () => segments[1])}?${one}=${value}&${other}=${value}`,
      headers: (method === 'GET' ? {} : { 'content-type': 'application/json' }) as Record<string, string>,
      body: method === 'GET' ? undefined : (body ?? undefined),
      what: 'a path',
      form: pattern.startsWith('/ipfs/') ? ('content' as const) : ('read' as const),
    }));
}

/** The node of the chain, which has its own address. */
export function malformedRpc({ issuer }: World): Arbitrary<MalformedRequest> {
  // Calls with one parameter, whose values are restricted.
  const call = { method: 'eth_getTransactionByHash', params: [`0x${'0'.repeat(64)}`] };
  const whole = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call });
  const bodies = fc.oneof(
    named('a broken field', brokenBodies(call).map(enveloped)),
    named('truncated', truncated(whole)),
    named('deep', deepBodies()),
    named('any JSON', fc.json({ maxDepth: 3 })),
    named('bytes', fc.uint8Array({ maxLength: 200 }).map(Buffer.from)),
  );
  return bodies.map(({ what, body }) => ({
    method: 'POST' as const,
    operation: 'EVM JSON-RPC',
    origin: issuer.info.rpcUrl,
    path: '/',
    headers: { 'content-type': 'application/json' },
    body,
    what,
    statuses: [200, 400, 413, 422],
    form: 'rpc' as const,
  }));
}

function enveloped(call: string): string {
  return `{"jsonrpc":"2.0","id":1,${call.slice(1)}`;
}

function nameOf({ method, path }: Placed): string {
  return `${method} ${path}`;
}
