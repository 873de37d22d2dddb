import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestIssuer } from '../_util/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../_util/sandbox.ts';

// The page of endpoints promises nothing that is not so: what it fills in is sent, and what comes is compared.

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: { default?: string };
}

interface Operation {
  tags: string[];
  parameters: Parameter[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

interface Document {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
}

let test: TestSandbox;
let document: Document;

beforeAll(async () => {
  test = await startTestSandbox({ settings: { fixtures: true } });
  document = await (await fetch(`${test.sandbox.url}/docs/openapi.json`)).json();
});
afterAll(() => test?.stop());

/** What needs a value that only an earlier call gives; their own tests try them. */
const dependent = new Set([
  'put /storage/{bucket}/{issuer}/{category}/{filename}',
  'get /storage/{bucket}/{issuer}/{category}/{filename}',
  'get /static/{issuer}/{category}/{filename}',
  'post /sandbox/deliveries/{id}/again',
  'post /sandbox/transfers',
  'post /sandbox/reservations',
]);

/** Sends an operation just as the page has it filled in. */
async function tryOut(
  method: string,
  path: string,
  operation: Operation,
  headers: Record<string, string> = {},
) {
  let url = `${test.sandbox.url}${path}`;
  const filled: Record<string, string> = {};
  for (const { name, in: place, schema } of operation.parameters) {
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(String(schema.default)));
    if (place === 'header') filled[name] = String(schema.default);
  }
  const [[contentType, { example }] = ['', { example: undefined }]] = Object.entries(
    operation.requestBody?.content ?? {},
  );
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers: { ...filled, ...(example !== undefined && { 'content-type': contentType }), ...headers },
    ...(example !== undefined && { body: JSON.stringify(example) }),
  });
  return { status: response.status, text: await response.text() };
}

function operations(): [string, string, Operation][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
      method,
      path,
      operation,
    ]),
  );
}

describe('the OpenAPI document', () => {
  it('describes every route that is served, and none twice', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: test.sandbox.url }]);
    expect(
      operations()
        .filter(([, , { tags }]) => tags.includes('Other'))
        .map(([method, path]) => `${method} ${path}`),
    ).toEqual([]);
    for (const endpoint of ['signedUrls', 'fileMetadata', 'srrs', 'collection'])
      expect(document.paths[`/port/api/v1/commerce/${endpoint}`]?.post?.tags).toEqual(['Commerce API']);
  });

  it('works as it is filled in: every operation gives its documented answer', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const tried: string[] = [];
    for (const [method, path, operation] of operations()) {
      if (dependent.has(`${method} ${path}`) || path === '/sandbox/reorg') continue;
      const [success = ''] = Object.keys(operation.responses);
      const { status, text } = await tryOut(method, path, operation);
      // A file of the example was never uploaded: the documented 404 is its answer.
      const expected = path.endsWith('fileMetadata') ? '404' : success;
      expect(`${method} ${path} ${status} ${status === Number(expected) ? '' : text}`).toBe(
        `${method} ${path} ${expected} `,
      );
      const schema = operation.responses[expected]?.content?.['application/json']?.schema;
      if (schema)
        expect({ path, valid: ajv.validate(schema, JSON.parse(text)), errors: ajv.errors }).toEqual({
          path,
          valid: true,
          errors: null,
        });
      tried.push(path);
    }
    expect(tried.length).toBeGreaterThan(18);
  });

  it('documents its refusals too', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const [method, path, operation] of operations()) {
      if (!operation.tags.includes('Commerce API') || method !== 'post') continue;
      const { status, text } = await tryOut(method, path, operation, { 'commerce-api-key': 'another' });
      expect({ path, status }).toEqual({ path, status: 401 });
      const schema = operation.responses[401]?.content?.['application/json']?.schema ?? {};
      expect(ajv.validate(schema, JSON.parse(text))).toBe(true);
    }
  });

  it('has examples that can be used again at the next look', async () => {
    const path = '/port/api/v1/commerce/srrs';
    for (let look = 0; look < 2; look++) {
      const fresh: Document = await (await fetch(`${test.sandbox.url}/docs/json`)).json();
      const operation = fresh.paths[path]?.post as Operation;
      expect((await tryOut('post', path, operation)).status).toBe(201);
    }
  });

  it('fills in a play key that is the default issuer’s', () => {
    const issuer = new TestIssuer(test.sandbox.info);
    const { parameters = [] } = document.paths['/port/api/v1/commerce/srrs']?.post ?? {};
    expect(parameters.map(({ name, schema }) => [name, schema.default])).toEqual([
      ['commerce-api-key', issuer.apiKey],
      ['issuer-address', issuer.address],
    ]);
  });
});

describe('the page', () => {
  it('comes with everything it needs, from here', async () => {
    const page = await fetch(`${test.sandbox.url}/docs`);
    const html = await page.text();
    expect(page.headers.get('content-type')).toContain('text/html');
    const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) {
      const { origin, href } = new URL(part, page.url);
      expect(origin).toBe(test.sandbox.url);
      expect((await fetch(href)).status).toBe(200);
    }
  });

  it('is what the sandbox’s own address leads to, beside everything else', async () => {
    const page = await fetch(test.sandbox.url);
    const html = await page.text();
    expect(page.headers.get('content-type')).toContain('text/html');
    const links = [...html.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, address = '']) => address);
    expect(links).toEqual(expect.arrayContaining(['/docs/', '/docs/openapi.json', '/sandbox']));
    for (const link of new Set(links))
      expect({ link, status: (await fetch(`${test.sandbox.url}${link}`)).status }).toEqual({
        link,
        status: 200,
      });
    for (const { address } of test.sandbox.info.issuers) expect(html).toContain(address);
  });
});
