import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';

let gateway: TestGateway;

// Each audit asks through this address, which is known only once the gateway listens.
const audits = serverAudits({ url: () => `${gateway.app.url}/graphql`, fetchFn: fetch });

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

const post = (body: object) =>
  fetch(`${gateway.app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('GraphQL over HTTP', () => {
  it('has at least sixty audits', () => {
    expect(audits.length).toBeGreaterThanOrEqual(60);
  });

  it.each(audits)('$id $name', async ({ fn }) => {
    // A recommendation that is not followed gives "warn", which fails here, too.
    const result = await fn();
    expect('reason' in result ? `${result.status}: ${result.reason}` : result.status).toBe('ok');
  });

  it.each([
    ['ignores the parameter that Apollo Client adds', { operationType: 'query' }, 200],
    ['refuses unknown parameters', { operationKind: 'query' }, 400],
  ])('%s, also of a prepared read', async (_what, more, status) => {
    const query = `{ ${Object.keys(more)}: __typename }`;
    for (const parameters of [{}, more])
      expect((await post({ query, ...parameters })).status).toBe(parameters === more ? status : 200);
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
