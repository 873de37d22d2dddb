import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LoneGateway, loneIssuer, loneToken, startLoneGateway } from '../_util/lone-gateway.ts';

const other = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const shared = 'a-key-of-both-issuers';
const ownKey = 'a-key-of-the-other';

let gateway: LoneGateway;
// Each test, and each retry, begins with empty logs.
beforeEach(async () => {
  const of = (address: string, token: string, keys: string[]) => ({
    address,
    apiKey: 'an-api-key',
    webhookKeys: [shared, ...keys],
    tokens: [{ token, scopes: ['read'] }],
  });
  gateway = await startLoneGateway({
    ISSUERS: JSON.stringify([of(loneIssuer, loneToken, []), of(other, 'token-of-the-other', [ownKey])]),
  });
});
afterEach(() => gateway?.stop());

const deliver = (to: string, key: string) =>
  fetch(`${gateway.address}/webhooks/commerce${to}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ type: 'issue_failed', data: [{ externalId: crypto.randomUUID() }] }),
  });

const eventsOf = async (token: string): Promise<number> => {
  const { events } = await gateway
    .as({ authorization: `Bearer ${token}` })
    .data('{ events(first: 100) { edges { cursor } } }');
  return events.edges.length;
};

describe('a webhook key that two issuers have', () => {
  it('is accepted at the address of each issuer, which alone gets the delivery', async () => {
    expect((await deliver(`/${loneIssuer}`, shared)).status).toBe(200);
    expect([await eventsOf(loneToken), await eventsOf('token-of-the-other')]).toEqual([1, 0]);
    expect((await deliver(`/${other.toLowerCase()}`, shared)).status).toBe(200);
    expect([await eventsOf(loneToken), await eventsOf('token-of-the-other')]).toEqual([1, 1]);
  });

  it('is refused at the common address, and the error names the address to use', async () => {
    const answer = await deliver('', shared);
    expect(answer.status).toBe(401);
    const text = await answer.text();
    expect(text).toContain('/webhooks/commerce/<issuer address>');
    expect(text).not.toContain(shared);
    expect([await eventsOf(loneToken), await eventsOf('token-of-the-other')]).toEqual([0, 0]);
  });

  it('does not change how a key of only one issuer works', async () => {
    expect((await deliver('', ownKey)).status).toBe(200);
    expect((await deliver(`/${loneIssuer}`, ownKey)).status).toBe(401);
    expect([await eventsOf(loneToken), await eventsOf('token-of-the-other')]).toEqual([0, 1]);
  });
});
