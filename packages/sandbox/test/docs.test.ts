import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../testing/sandbox.ts';
import { accepts, filledIn, operationsOf, type Placed, readOpenApi, tryOut } from './open-api.ts';

// The page of endpoints is correct: each prefilled request is sent, and its response compared with the
// documentation.

let test: TestSandbox;
let operations: Placed[];

beforeAll(async () => {
  test = await startTestSandbox({ settings: { fixtures: true } });
  operations = await fresh();
});
afterAll(() => test?.stop());

/** The examples as they are when the page is opened now. */
async function fresh(): Promise<Placed[]> {
  return operationsOf(await readOpenApi(test.sandbox.url));
}

async function freshly(operationId: string): Promise<Placed> {
  const found = (await fresh()).find((operation) => operation.operationId === operationId);
  if (!found) throw new Error(`the document has no ${operationId}`);
  return found;
}

describe('the OpenAPI document', () => {
  it('describes every route exactly once', async () => {
    const { openapi, servers } = await readOpenApi(test.sandbox.url);
    expect({ openapi, servers }).toEqual({ openapi: '3.1.0', servers: [{ url: test.sandbox.url }] });
    for (const { method, path, operationId, tags, summary } of operations)
      expect({ path, method, operationId, tags, summary }).toEqual({
        path,
        method,
        operationId: expect.stringMatching(/^\w+$/),
        tags: [expect.any(String)],
        summary: expect.stringMatching(/\w/),
      });
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    expect(operations.length).toBeGreaterThan(25);
  });

  it('has examples that match its request schemas', () => {
    for (const { path, requestBody } of operations)
      for (const { schema, example } of Object.values(requestBody?.content ?? {}))
        expect({ path, accepted: accepts(schema, example) }).toEqual({ path, accepted: true });
  });

  it('has examples with which every operation succeeds, with a declared response', async () => {
    for (const { operationId } of operations) {
      // There is a delivery as soon as the record issued above is mined.
      if (operationId === 'deliverAgain') await expect.poll(deliveries).toBeGreaterThan(0);
      const operation = await freshly(operationId);
      const [success] = Object.keys(operation.responses);
      const { status, text } = await tryOut(test.sandbox.url, operation);
      expect({ operationId, status, text }).toEqual({ operationId, status: Number(success), text });
    }
  });

  it('has examples that work again after a reload', async () => {
    for (const operationId of ['signUrls', 'issueSrrs', 'createCollection', 'uploadFile', 'transferRecord'])
      for (let look = 0; look < 2; look++)
        expect((await tryOut(test.sandbox.url, await freshly(operationId))).status).toBeLessThan(300);
  });

  it('documents its refusals too', async () => {
    for (const operation of operations) {
      const filled = filledIn(operation);
      const refused = async (changed: object) =>
        (await tryOut(test.sandbox.url, operation, { ...filled, ...changed })).status;
      const { operationId, path, requestBody } = operation;
      if (requestBody?.content['application/json'])
        expect({ operationId, status: await refused({ body: 'null' }) }).toEqual({
          operationId,
          status: 400,
        });
      if (path.includes('{')) {
        const elsewhere = path.replaceAll(/\{\w+\}/g, 'nothing');
        expect([400, 403, 404], operationId).toContain(await refused({ path: elsewhere }));
      }
      if (filled.headers['commerce-api-key']) {
        const headers = { ...filled.headers, 'commerce-api-key': 'another' };
        expect({ operationId, status: await refused({ headers }) }).toEqual({ operationId, status: 401 });
      }
    }
  });

  it('fills in a play key that is the default issuer’s', async () => {
    const { apiKey, address } = new TestIssuer(test.sandbox.info);
    expect(filledIn(await freshly('issueSrrs')).headers).toMatchObject({
      'commerce-api-key': apiKey,
      'issuer-address': address,
    });
  });

  async function deliveries(): Promise<number> {
    const response = await fetch(`${test.sandbox.url}/sandbox/deliveries`);
    return ((await response.json()) as { deliveries: unknown[] }).deliveries.length;
  }
});

describe('the page', () => {
  it('loads everything that it needs from the sandbox', async () => {
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

  it('is linked from the home page, with everything else', async () => {
    const page = await fetch(test.sandbox.url);
    const html = await page.text();
    expect(page.headers.get('content-type')).toContain('text/html');
    const links = [...html.matchAll(/(?:src|href)="(?!data:)([^"]*)"/g)].map(([, address = '']) => address);
    expect(links).toEqual(expect.arrayContaining(['docs/', 'docs/openapi.json', 'sandbox']));
    for (const link of new Set(links)) {
      expect({ link, status: (await fetch(new URL(link, page.url))).status }).toEqual({ link, status: 200 });
      // A proxy may serve the sandbox below a path.
      expect(new URL(link, 'http://proxy.test/below/').pathname).toMatch(/^\/below\/./);
    }
    for (const { address } of test.sandbox.info.issuers) expect(html).toContain(address);
    // A link without a name says nothing to a screen reader.
    expect(html).not.toContain('alt=""');
  });
});
