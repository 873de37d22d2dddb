import { randomUUID } from 'node:crypto';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { Issuer } from '../../src/config/config.ts';
import { newCallerAddress } from '../_util/caller-address.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { TRUSTED_PROXIES: '1', RATE_LIMIT: '1000' } });
});
afterAll(() => gateway?.stop());

/** Sends a query over its own WebSocket, and returns the response as text. */
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
  'a key that is invalid in a header is refused without a call, and does not open the circuit breaker: %j',
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

it('callers with an empty Authorization do not share the budget of one who also sends a key', async () => {
  const rateLimitOf = async (address: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${gateway.app.url}/graphql?query={__typename}`, {
      headers: { 'x-forwarded-for': address, authorization: '', ...headers },
    });
    expect(answer.status).toBe(200);
    return answer.headers.get('ratelimit');
  };
  const { address, apiKey } = gateway.issuers[1] as Issuer;
  const key = { 'commerce-api-key': apiKey, 'issuer-address': address };
  const [one, other] = [newCallerAddress(), newCallerAddress()];
  for (let times = 0; times < 3; times++) await rateLimitOf(one, key);
  expect(await rateLimitOf(other)).toContain('r=999;');
});
