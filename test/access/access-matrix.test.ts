import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseAddress } from '@srr-gateway/common/address';
import { getNamedType, isLeafType } from 'graphql';
import { UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken, revokeToken } from '../../src/access/stored-tokens.ts';
import { type Scope, scopes } from '../../src/model/scope.ts';
import { type Db, openTables } from '../../src/store/store.ts';
import { type IdentityProvider, startIdentityProvider } from '../_util/identity-provider.ts';
import { type LoneGateway, loneIssuer, startLoneGateway } from '../_util/lone-gateway.ts';
import { documentOf, type RootField, rootFields, type Samples, variablesOf } from '../_util/root-fields.ts';

type Rule = 'public' | Scope;
const all: readonly Rule[] = ['public', ...scopes];

/** The scope that each root field needs. A new field fails the suite until it has a rule here. */
const rules: Record<string, Rule> = {
  'Query._entities': 'public',
  'Query._service': 'public',
  'Query.collection': 'public',
  'Query.collections': 'public',
  'Query.licensedUser': 'public',
  'Query.licensedUsers': 'public',
  'Query.metadata': 'public',
  'Query.node': 'public',
  'Query.nodes': 'public',
  'Query.sources': 'public',
  'Query.srr': 'public',
  'Query.srrs': 'public',
  'Query.viewer': 'public',
  'Query.collectionCreation': 'read',
  'Query.events': 'read',
  'Query.issuance': 'read',
  'Query.issuanceEntry': 'read',
  'Query.issuances': 'read',
  'Query.myUploads': 'read',
  'Query.uploads': 'read',
  'Query.webhookEndpoints': 'webhooks',
  'Query.validateSRRs': 'issue',
  'Mutation.createUploads': 'upload',
  'Mutation.uploadFile': 'upload',
  'Mutation.createCollection': 'issue',
  'Mutation.issueSRRs': 'issue',
  'Mutation.cancelIssuance': 'issue',
  'Mutation.createWebhookEndpoint': 'webhooks',
  'Mutation.deleteWebhookEndpoint': 'webhooks',
  'Mutation.redeliver': 'webhooks',
  'Mutation.sendTestDelivery': 'webhooks',
  'Mutation.updateWebhookEndpoint': 'webhooks',
  'Subscription.events': 'read',
  'Subscription.issuance': 'read',
  'Subscription.miningOutcomes': 'read',
};

const samples: Samples = {
  Address: loneIssuer,
  ID: Buffer.from('Issuance:x').toString('base64'),
  TokenId: '1',
  Int: 1,
  Boolean: true,
  CID: 'bafkqaaa',
  URL: 'https://127.0.0.1/',
  File: null,
};

/** The smallest operation on a field. A malformed cursor makes an accepted subscription fail at once. */
function leastOf(root: RootField): { document: string; variables: Record<string, unknown> } {
  const { args, type } = root.field;
  const cursor = args.some(({ name }) => name === 'after') ? { path: ['after'], value: 'x' } : undefined;
  const variables = variablesOf(root.field, samples, cursor);
  const selection = isLeafType(getNamedType(type)) ? '' : '{ __typename }';
  return { document: documentOf(root, variables, selection), variables };
}

const passKey = 'the-right-key';
let provider: IdentityProvider;
let gateway: LoneGateway;
let db: Db;
const headers: Record<string, Record<string, string>> = {};
const issuer = parseAddress(loneIssuer) as `0x${string}`;

const stored = (scopes: Scope[], expiresAt?: Date) =>
  makeToken(db, { issuer, scopes, note: 'test', expiresAt });

/** A service that does nothing but check API keys. */
const service = createServer((req, res) => {
  const right = req.headers['commerce-api-key'] === passKey;
  req.resume().on('end', () => {
    // Only an answer about the file that the gateway asks for proves a key.
    const message = right ? [{ index: 0, filePath: 'no-such-file' }] : 'The key is not valid.';
    const statusCode = right ? 404 : 401;
    res
      .writeHead(statusCode, { 'content-type': 'application/json' })
      .end(JSON.stringify({ statusCode, message }));
  });
});

beforeAll(async () => {
  provider = await startIdentityProvider();
  await new Promise<void>((listening) => service.listen(0, '127.0.0.1', listening));
  gateway = await startLoneGateway({
    COMMERCE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    JWT_JWKS_URL: provider.jwksUrl,
    JWT_ISSUER: provider.issuer,
    JWT_AUDIENCE: provider.audience,
  });
  db = await openTables(gateway.database);
  const revoked = await stored([...scopes]);
  await revokeToken(db, revoked.id);
  const claims = { srr_issuer: loneIssuer, scope: scopes.join(' ') };
  const unsigned = new UnsecuredJWT({ ...claims, iss: provider.issuer, aud: provider.audience });
  const bearer = {
    'a token for reading': 'lone-token-read',
    'a token for uploading': 'lone-token-upload',
    'a token for issuing': 'lone-token-issue',
    'a token for webhooks': 'lone-token-webhooks',
    'a stored token for reading': (await stored(['read'])).token,
    'a stored token for everything': (await stored([...scopes])).token,
    'a JWT for uploading': await provider.token({ ...claims, scope: 'upload' }),
    'a JWT for everything': await provider.token(claims),
    'a JWT without scopes': await provider.token({ srr_issuer: loneIssuer }),
    'a JWT of a wrong issuer': await provider.token({ ...claims, iss: 'https://other.example' }),
    'a JWT for an unknown issuer address': await provider.token({
      ...claims,
      srr_issuer: `0x${'1'.repeat(40)}`,
    }),
    'an expired JWT': await provider.token(claims, { expires: '1 hour ago' }),
    'a JWT for a wrong audience': await provider.token({ ...claims, aud: 'somebody-else' }),
    'a JWT with alg none': unsigned.setExpirationTime('1 hour').encode(),
    'a JWT of a foreign key': await provider.token(claims, { key: 'foreign' }),
    'a revoked token': revoked.token,
    'an expired token': (await stored(['read'], new Date(Date.now() - 1_000))).token,
    'an unknown token': 'srr_nobody',
  };
  for (const [who, token] of Object.entries(bearer)) headers[who] = { authorization: `Bearer ${token}` };
  headers['an anonymous caller'] = {};
  headers['a passed-through API key'] = { 'commerce-api-key': passKey, 'issuer-address': loneIssuer };
  headers['a wrong passed-through API key'] = {
    'commerce-api-key': 'a-wrong-key',
    'issuer-address': loneIssuer,
  };
  headers['an issuer address without an API key'] = { 'issuer-address': loneIssuer };
});
afterAll(async () => {
  await gateway?.stop();
  await provider?.stop();
  service.closeAllConnections();
  service.close();
});

/** What each caller may do. Invalid credentials (undefined) may not even read public fields. */
const callers: Record<string, readonly Rule[] | undefined> = {
  'an anonymous caller': ['public'],
  'a token for reading': ['public', 'read'],
  'a token for uploading': ['public', 'upload'],
  'a token for issuing': ['public', 'issue'],
  'a token for webhooks': ['public', 'webhooks'],
  'a stored token for reading': ['public', 'read'],
  'a stored token for everything': all,
  'a JWT for uploading': ['public', 'upload'],
  'a JWT for everything': all,
  'a JWT without scopes': ['public'],
  'a passed-through API key': all,
  'a wrong passed-through API key': undefined,
  'an issuer address without an API key': undefined,
  'a JWT of a wrong issuer': undefined,
  'a JWT for an unknown issuer address': undefined,
  'an expired JWT': undefined,
  'a JWT for a wrong audience': undefined,
  'a JWT with alg none': undefined,
  'a JWT of a foreign key': undefined,
  'a revoked token': undefined,
  'an expired token': undefined,
  'an unknown token': undefined,
};

/** The codes of all errors of the first answer, which a subscription sends as its first event. */
async function codesOf(root: RootField, who: string): Promise<string[]> {
  const { document, variables } = leastOf(root);
  if (root.name === 'Mutation.uploadFile') {
    const answer = await gateway
      .as(headers[who] ?? {})
      .askWithFile(document, variables, { path: 'input.file', name: 'a.png', bytes: 'x' });
    return codesIn(JSON.stringify(answer));
  }
  const response = await fetch(`${gateway.app.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: root.operation === 'subscription' ? 'text/event-stream' : 'application/json',
      ...headers[who],
    },
    body: JSON.stringify({ query: document, variables }),
  });
  return codesIn(await response.text());
}

function codesIn(text: string): string[] {
  return [...text.matchAll(/"code":"([A-Z_]+)"/g)].map(([, code]) => code as string);
}

describe('authorization of root fields', () => {
  it('has a rule for every root field of the schema, and no other rule', () => {
    expect(rootFields.map(({ name }) => name).sort()).toEqual(Object.keys(rules).sort());
  });

  it.each(rootFields)('has the scope that the description of $name states', ({ name, field }) => {
    const scope = /Scope: (\w+)\.$/.exec(field.description ?? '')?.[1] ?? 'public';
    expect(scope).toBe(rules[name]);
  });

  describe.each(Object.entries(callers))('%s', (who, may) => {
    // Shows that the gateway recognizes the credentials, before they are tried on each field.
    it('has exactly its scopes', async () => {
      const { data, errors } = await gateway.as(headers[who] ?? {}).ask('{ viewer { scopes } }');
      if (may === undefined) expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
      else if (who === 'an anonymous caller') expect(data).toEqual({ viewer: null });
      else {
        const own = may.filter((rule) => rule !== 'public').map((rule) => rule.toUpperCase());
        const { scopes } = (data as { viewer: { scopes: string[] } }).viewer;
        expect(new Set(scopes)).toEqual(new Set(own));
      }
    });

    it.each(rootFields)('is granted or denied $name as the rules say', async (root) => {
      const rule = rules[root.name] as Rule;
      const codes = await codesOf(root, who);
      const denials = codes.filter((code) => code === 'UNAUTHENTICATED' || code === 'FORBIDDEN');
      if (may === undefined) expect(codes).toEqual(['UNAUTHENTICATED']);
      else if (may.includes(rule)) expect(denials).toEqual([]);
      else expect(codes).toEqual([who === 'an anonymous caller' ? 'UNAUTHENTICATED' : 'FORBIDDEN']);
      // An invalid document would fail for every caller, and prove nothing about the rule.
      expect(codes).not.toContain('GRAPHQL_VALIDATION_FAILED');
      expect(codes).not.toContain('UNKNOWN_ERROR');
    });
  });
});

it('a stored token stops working within seconds of its revocation, even while in use', async () => {
  const { id, token } = await stored(['read']);
  const viewer = () => gateway.as({ authorization: `Bearer ${token}` }).ask('{ viewer { issuer } }');
  expect((await viewer()).data).toEqual({ viewer: { issuer } });
  await revokeToken(db, id);
  await expect
    .poll(async () => (await viewer()).errors?.[0]?.extensions?.code, { timeout: 10_000 })
    .toBe('UNAUTHENTICATED');
});
