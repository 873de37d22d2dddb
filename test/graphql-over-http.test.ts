import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './_util/gateway.ts';

let gateway: TestGateway;

// Each audit asks through this address, which is known only once the gateway listens.
const audits = serverAudits({ url: () => `${gateway.app.url}/graphql`, fetchFn: fetch });

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

describe('GraphQL over HTTP', () => {
  it('has at least sixty audits', () => {
    expect(audits.length).toBeGreaterThanOrEqual(60);
  });

  it.each(audits)('$id $name', async ({ fn }) => {
    // A recommendation that is not followed gives "warn", which fails here, too.
    const result = await fn();
    expect('reason' in result ? `${result.status}: ${result.reason}` : result.status).toBe('ok');
  });

  it('allows the alias `then`, which makes an object look like a promise', async () => {
    const query = '{ then: __typename viewer { then: issuer } }';
    const answer = await gateway.caller.data(query);
    expect(JSON.stringify(answer)).toBe(`{"then":"Query","viewer":{"then":"${gateway.issuer.address}"}}`);
    const files = '[{ filename: "a.png", category: NON_ATTACHMENT_FILE }]';
    const mutation = `mutation { then: createUploads(input: { files: ${files} }) { then: uploads { filename } } }`;
    const made = await gateway.caller.data(mutation);
    expect(JSON.stringify(made)).toBe('{"then":{"then":[{"filename":"a.png"}]}}');
  });
});
