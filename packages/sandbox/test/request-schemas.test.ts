import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../testing/sandbox.ts';
import { brokenBodies } from './malformed-bodies.ts';
import { endpoints, wholeBodies } from './malformed-commerce.ts';
import { accepts, operationsOf, readOpenApi } from './open-api.ts';

// The documented schema of a body and its parser come from one table of fields. These tests compare the two
// for the same bodies.

/** So many that every field of the largest body is invalid in more than one way. */
const bodies = 300;
/** The seed: every run has the same bodies. */
const seed = 20_261_121;

let test: TestSandbox;
let issuer: TestIssuer;
let schemas: Map<string, object>;

beforeAll(async () => {
  test = await startTestSandbox();
  issuer = new TestIssuer(test.sandbox.info);
  schemas = new Map(
    operationsOf(await readOpenApi(test.sandbox.url)).flatMap(({ path, requestBody }) => {
      const schema = requestBody?.content['application/json']?.schema;
      return schema ? [[path, schema]] : [];
    }),
  );
});
afterAll(() => test?.stop());

/** Whether a refusal is about the form of fields, not about their content. */
function tellsOfFields(message: unknown): boolean {
  return Array.isArray(message) && message.some((text) => !/^payload\.\d+\.metadata is invalid/.test(text));
}

describe.each(endpoints)('%s', (endpoint) => {
  it('refuses exactly the bodies that its documented schema refuses', async () => {
    const schema = schemas.get(`/port/api/v1/commerce/${endpoint}`) ?? {};
    const whole = wholeBodies({ issuer, image: `${test.sandbox.url}/static/none`, operations: [] })[endpoint];
    expect(accepts(schema, whole)).toBe(true);
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(brokenBodies(whole), fc.json({ maxDepth: 3 })), async (text) => {
        const { status, body } = await issuer.post(endpoint, text);
        const accepted = accepts(schema, JSON.parse(text));
        refused += accepted ? 0 : 1;
        const description = `${status} ${JSON.stringify(body).slice(0, 300)}`;
        // The content of metadata is part of the schema, but has a single message.
        if (!accepted) expect(status, description).toBe(400);
        else expect(tellsOfFields(body.message), description).toBe(false);
      }),
      { numRuns: bodies, seed },
    );
    expect(refused).toBeGreaterThan(bodies / 2);
  });
});
