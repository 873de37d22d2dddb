import { parseAddress } from '@srr-gateway/common/address';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { capturedLog } from '../../test/_util/captured-log.ts';
import { reply, serve } from '../../test/_util/http-server.ts';
import { withTables } from '../../test/_util/with-tables.ts';
import { createCommerce } from '../clients/commerce/commerce.ts';
import type { Db } from '../store/store.ts';
import { Authenticator } from './authenticate.ts';
import { Issuers } from './issuers.ts';
import { credentialsIn } from './request-credentials.ts';
import { makeToken } from './stored-tokens.ts';

const { log } = capturedLog();
const address = parseAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed') as `0x${string}`;
const issuer = { address, apiKey: 'a-configured-key', webhookKeys: [], signingSecrets: [], tokens: [] };
const bearer = (token: string) => credentialsIn({ authorization: `Bearer ${token}` });

let db: Db;
let statements: string[];
withTables((...opened) => {
  [db, statements] = opened;
});

/** An authenticator, and the requests that it has sent to the service. */
async function authenticator() {
  const service = await serve((_request, response) =>
    reply(response, 401, { statusCode: 401, message: 'no' }),
  );
  const commerce = createCommerce({ baseUrl: service.url, log });
  onTestFinished(() => commerce.close());
  const issuers = new Issuers([issuer]);
  const options = { issuers, db, commerce, passthrough: true, jwt: undefined, log };
  return { authenticator: new Authenticator(options), calls: service.received };
}

describe('callers whose address is over the rate limit', () => {
  it('have two tokens at a time looked up in the database', async () => {
    const { authenticator: one } = await authenticator();
    const { token } = await makeToken(db, { issuer: address, scopes: ['read'], note: 'a neighbour' });
    const before = statements.length;
    await Promise.all(Array.from({ length: 20 }, (_, n) => one.verify(bearer(`srr_made-up-${n}`))));
    expect(statements).toHaveLength(before + 2);
    expect(await one.verify(bearer(token))).toBe(address);
  });

  it('have no API key checked by the service', async () => {
    const { authenticator: one, calls } = await authenticator();
    const key = credentialsIn({ 'commerce-api-key': 'made-up', 'issuer-address': address });
    expect(await one.verify(key)).toBeUndefined();
    expect(calls).toEqual([]);
    await expect(one.caller(key)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(calls).toHaveLength(1);
  });
});

it('a token counts against its issuer’s budget from its verification on, for a minute', async () => {
  const { authenticator: one } = await authenticator();
  const { token } = await makeToken(db, { issuer: address, scopes: ['read'], note: 'a page' });
  expect(one.verifiedIssuer(bearer(token))).toBeUndefined();
  await one.caller(bearer(token));
  expect(one.verifiedIssuer(bearer(token))).toBe(address);
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + 61_000);
  onTestFinished(() => void vi.restoreAllMocks());
  // The cache reads the clock only once per millisecond.
  await expect.poll(() => one.verifiedIssuer(bearer(token))).toBeUndefined();
});
