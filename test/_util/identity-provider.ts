import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export interface IdentityProvider {
  jwksUrl: string;
  issuer: string;
  audience: string;
  /** The number of fetches of its keys. */
  fetched: number;
  /** Responds with this status instead of its keys. */
  status: number;
  /** The number of bytes in its response besides the keys. */
  padding: number;
  /** Signs with a new key from now on; publishes the old key too if `keep`. */
  rotate(keep: boolean): Promise<void>;
  /** A valid token, apart from the given claims and options. With `expires: null` it has no expiry. */
  token(claims?: JWTPayload, options?: { key?: 'foreign'; expires?: string | null }): Promise<string>;
  stop(): Promise<void>;
}

/** An identity provider with real keys, on loopback. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const publishedKeys = new Map<string, object>();
  const newKey = async (kid: string) => {
    const pair = await generateKeyPair('ES256');
    return { kid, pair, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256', use: 'sig' } };
  };
  let key = await newKey('first');
  publishedKeys.set(key.kid, key.jwk);
  const foreign = await newKey('first');
  const server = createServer((_req, res) => {
    provider.fetched++;
    res.writeHead(provider.status, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ keys: [...publishedKeys.values()], padding: 'x'.repeat(provider.padding) }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: IdentityProvider = {
    jwksUrl: `${url}/jwks.json`,
    issuer: url,
    audience: 'srr-gateway',
    fetched: 0,
    status: 200,
    padding: 0,
    rotate: async (keep) => {
      key = await newKey(`key-${crypto.randomUUID()}`);
      if (!keep) publishedKeys.clear();
      publishedKeys.set(key.kid, key.jwk);
    },
    token: (claims = {}, { key: chosen, expires = '5 minutes' } = {}) => {
      const signing = chosen === 'foreign' ? foreign : key;
      const token = new SignJWT({ iss: provider.issuer, aud: provider.audience, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: signing.kid })
        .setIssuedAt();
      if (expires !== null) token.setExpirationTime(expires);
      return token.sign(signing.pair.privateKey);
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return provider;
}
