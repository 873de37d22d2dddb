import { randomUUID } from 'node:crypto';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { startTestGateway, type TestGateway } from './_util/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

/** What a query over a socket of its own is answered with. */
async function askOver(connectionParams: Record<string, string>, query: string): Promise<string> {
  const client = createClient({
    url: `${gateway.app.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams,
    retryAttempts: 0,
  });
  try {
    const answers = [];
    for await (const answer of client.iterate({ query })) answers.push(answer);
    return JSON.stringify(answers);
  } catch (error) {
    return JSON.stringify(error);
  } finally {
    await client.dispose();
  }
}

it.each(['a\nb', 'a\u0000b', '鍵', ' '])(
  'a key that no header can carry is refused without a call, and closes the service to nobody: %j',
  async (key) => {
    for (let times = 0; times < 6; times++) {
      const headers = {
        'commerce-api-key': `${key}${times || ''}`,
        'issuer-address': gateway.issuer.address,
      };
      expect(await askOver(headers, '{ __typename }')).toMatch(/UNAUTHENTICATED/);
    }
    const upload = await gateway.caller.upload(`${randomUUID()}.png`, 'NON_ATTACHMENT_FILE', 'a picture');
    expect(upload).toBeTruthy();
  },
);
