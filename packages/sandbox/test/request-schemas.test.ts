import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../testing/sandbox.ts';
import { brokenBodies } from './malformed-bodies.ts';
import { endpoints, wholeBodies } from './malformed-commerce.ts';
import { accepts, operationsOf, readOpenApi } from './open-api.ts';

// The documented schema of a body and the rules by which it is read come from one table of fields. Here they
// are asked about the same bodies.

/** Enough to break every field of the largest body in more than one way. */
const bodies = 300;
/** The same bodies at every run. */
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

/** Whether a refusal tells of fields, as opposed to what they hold. */
function tellsOfFields(message: unknown): boolean {
  return Array.isArray(message) && message.some((text) => !/^payload\.\d+\.metadata is invalid/.test(text));
}

describe.each(endpoints)('%s', (endpoint) => {
  it('refuses for its fields just the bodies that its documented schema refuses', async () => {
    const schema = schemas.get(`/port/api/v1/commerce/${endpoint}`) ?? {};
    const whole = wholeBodies({ issuer, image: `${test.sandbox.url}/static/none`, operations: [] })[endpoint];
    expect(accepts(schema, whole)).toBe(true);
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(brokenBodies(whole), fc.json({ maxDepth: 3 })), async (text) => {
        const { status, body } = await issuer.post(endpoint, text);
        const accepted = accepts(schema, JSON.parse(text));
        refused += accepted ? 0 : 1;
        const shown = `${status} ${JSON.stringify(body).slice(0, 300)}`;
        // What metadata holds is part of the schema, and is told in one message for all of it.
        if (!accepted) expect(status, shown).toBe(400);
        else expect(tellsOfFields(body.message), shown).toBe(false);
      }),
      { numRuns: bodies, seed },
    );
    expect(refused).toBeGreaterThan(bodies / 2);
  });
});
