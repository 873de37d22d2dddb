import { randomUUID } from 'node:crypto';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { preparedOperations } from '../../src/graphql/graphiql/graphiql.ts';
import { type GatewayProcess, gatewayProcess } from '../_util/gateway-process.ts';

const operations = preparedOperations();
const document = (name: string) => operations.find((one) => one.name.includes(name))?.document ?? '';
const authorization = 'Bearer demo-token';
let gateway: GatewayProcess;
let variables: { artist: string };

beforeAll(async () => {
  gateway = await gatewayProcess();
  await gateway.start();
  const sandbox = await fetch(`${gateway.sandboxUrl}/sandbox`);
  const { artists } = (await sandbox.json()) as { artists: { address: string }[] };
  variables = { artist: artists[0]?.address ?? '' };
});

afterAll(() => gateway?.remove());

async function run(query: string): Promise<{ data: Record<string, never>; errors?: unknown }> {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as never;
}

describe('the operations in GraphiQL', () => {
  it.each(operations.filter((one) => !one.document.includes('subscription ')))(
    'run as written: $name',
    async ({ document: query }) => {
      const { data, errors } = await run(query);
      expect(errors).toBeUndefined();
      // Mutations report faults of their input as data.
      expect(JSON.stringify(data)).not.toMatch(/"userErrors":\[\{/);
    },
  );

  it('include a subscription that reports the issued record', async () => {
    const client = createClient({ url: `${gateway.url}/graphql`, headers: { authorization } });
    const { promise: connected, resolve } = Promise.withResolvers<void>();
    const outcomes = client.iterate<{ miningOutcomes: object }>(
      { query: document('follow-outcomes') },
      { connected: () => resolve() },
    );
    const externalId = randomUUID();
    const mined = (async () => {
      for await (const { data, errors } of outcomes) {
        expect(errors).toBeUndefined();
        // The record of the test above may be mined meanwhile.
        if (JSON.stringify(data).includes(externalId)) return data?.miningOutcomes;
      }
    })();
    await connected;
    const another = document('issue-record')
      .replaceAll('graphiql-1', externalId)
      .replaceAll('First Light', `Light of ${externalId}`);
    await run(another);
    expect(await mined).toMatchObject({ externalId, srr: { metadataStatus: 'VERIFIED' } });
    client.dispose();
    const { data } = await run(document('newest-record'));
    // Both records may be in one block, and are then equally new.
    expect(data).toMatchObject({
      srrs: { edges: [{ node: { metadata: { name: expect.stringMatching(/^First Light|^Light of /) } } }] },
    });
  });
});
