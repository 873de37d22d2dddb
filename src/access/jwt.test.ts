import { SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { capturedLog } from '../../test/_util/captured-log.ts';
import { type IdentityProvider, startIdentityProvider } from '../../test/_util/identity-provider.ts';
import { jwtVerifier, looksLikeJwt } from './jwt.ts';
import { tokenOf } from './request-credentials.ts';

const issuer = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

let provider: IdentityProvider;
let captured: ReturnType<typeof capturedLog>;
let verify: (token: string) => ReturnType<ReturnType<typeof jwtVerifier>>;
beforeEach(async () => {
  provider = await startIdentityProvider();
  captured = capturedLog();
  const verifier = jwtVerifier(
    { ...provider, issuerClaim: 'https://shop.example/issuer', scopeClaim: 'permissions' },
    captured.log,
    { refetchMs: 0 },
  );
  verify = (token) => verifier(tokenOf(token));
});
afterEach(() => provider.stop());

const claims = { 'https://shop.example/issuer': issuer, permissions: ['read', 'issue', 'drive'] };

describe('a sign-in token', () => {
  it('has the issuer and the scopes of its claims', async () => {
    expect(await verify(await provider.token(claims))).toEqual({ issuer, scopes: ['read', 'issue'] });
    const words = await provider.token({ ...claims, permissions: 'openid upload' });
    expect(await verify(words)).toEqual({ issuer, scopes: ['upload'] });
  });

  it.each([
    ['of another issuer', { iss: 'https://other.example' }, {}, /claim "iss"/],
    ['for another audience', { aud: 'another' }, {}, /claim "aud"/],
    ['that has expired', {}, { expires: '2 minutes ago' }, /has expired/],
    ['that is not valid yet', { nbf: Math.floor(Date.now() / 1000) + 3_600 }, {}, /claim "nbf"/],
    ['signed with a foreign key', {}, { key: 'foreign' }, /signature is not valid/],
    [
      'without an issuer address',
      { 'https://shop.example/issuer': undefined },
      {},
      /must be the issuer's address/,
    ],
    [
      'with an issuer that is no address',
      { 'https://shop.example/issuer': { a: 1 } },
      {},
      /must be the issuer's address/,
    ],
  ] as const)('%s is refused', async (_what, wrong, options, says) => {
    const refused = verify(await provider.token({ ...claims, ...wrong }, options));
    await expect(refused).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringMatching(says),
    });
  });

  it('without a signature, or signed with a secret, is refused', async () => {
    const body = { ...claims, iss: provider.issuer, aud: provider.audience };
    const unsigned = new UnsecuredJWT(body).setExpirationTime('1 hour').encode();
    const keys = (await (await fetch(provider.jwksUrl)).json()) as { keys: object[] };
    // In this known attack the public key is used as a shared secret.
    const secret = new TextEncoder().encode(JSON.stringify(keys.keys[0]));
    const shared = await new SignJWT(body)
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .setExpirationTime('1 hour')
      .sign(secret);
    for (const token of [unsigned, shared]) {
      expect(looksLikeJwt(token)).toBe(true);
      await expect(verify(token)).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
        message: expect.stringMatching(/must be signed with a private key/),
      });
    }
  });

  it('with a faulty header is refused as such, and not as if the keys could not be fetched', async () => {
    await provider.rotate(true);
    const headed = async (change: object) => {
      const [head = '', ...rest] = (await provider.token(claims)).split('.');
      const changed = { ...JSON.parse(Buffer.from(head, 'base64url').toString()), ...change };
      return [Buffer.from(JSON.stringify(changed)).toString('base64url'), ...rest].join('.');
    };
    const unknown = verify(await headed({ crit: ['made-up'], 'made-up': true }));
    await expect(unknown).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringMatching(/extension/),
    });
    const nameless = verify(await headed({ kid: undefined }));
    await expect(nameless).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringMatching(/\(kid\)/),
    });
    for (const malformed of ['a.b.c', `${'a'.repeat(20)}..`])
      await expect(verify(malformed)).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
        message: expect.stringMatching(/malformed/),
      });
    expect(captured.lines()).toEqual([]);
  });

  it('without an expiry is refused', async () => {
    await expect(verify(await provider.token(claims, { expires: null }))).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringMatching(/claim "exp" is missing/),
    });
  });
});

describe('a verified token', () => {
  it('is accepted until it expires, with some tolerance, or minutes after its key was removed', async () => {
    const begun = { date: Date.now(), now: performance.now() };
    const goTo = (seconds: number) => {
      vi.spyOn(performance, 'now').mockReturnValue(begun.now + seconds * 1000);
      vi.setSystemTime(begun.date + seconds * 1000);
    };
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
      vi.restoreAllMocks();
    });
    const [short, long] = [
      await provider.token(claims, { expires: '10 seconds' }),
      await provider.token(claims, { expires: '1 hour' }),
    ];
    for (const token of [short, long]) await verify(token);
    goTo(30);
    expect(await verify(short)).toMatchObject({ issuer });
    goTo(45);
    // The cache reads the clock only once per millisecond.
    const outcomeOf = (token: string) => verify(token).then(JSON.stringify, ({ message }: Error) => message);
    await expect.poll(() => outcomeOf(short)).toMatch(/has expired/);
    await provider.rotate(false);
    expect(await verify(long)).toMatchObject({ issuer });
    goTo(11 * 60);
    await expect.poll(() => outcomeOf(long)).toMatch(/a key that is not at JWT_JWKS_URL/);
  });
});

describe('the provider’s keys', () => {
  it('are fetched once for many tokens', async () => {
    for (let n = 0; n < 20; n++) await verify(await provider.token({ ...claims, jti: String(n) }));
    expect(provider.fetched).toBe(1);
  });

  it('are fetched again for a token with a new key, and a removed key verifies no new token', async () => {
    const before = await provider.token(claims);
    await verify(before);
    const another = await provider.token({ ...claims, jti: 'another' });
    await provider.rotate(false);
    expect(await verify(await provider.token(claims))).toMatchObject({ issuer });
    expect(provider.fetched).toBe(2);
    await expect(verify(another)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('are not fetched again for every unknown key', async () => {
    const patient = jwtVerifier({ ...provider, issuerClaim: 'a', scopeClaim: 'b' }, captured.log);
    for (let n = 0; n < 10; n++) {
      await provider.rotate(true);
      await patient(tokenOf(await provider.token(claims))).catch(() => {});
    }
    expect(provider.fetched).toBe(1);
  });

  it('that cannot be fetched are an outage of the provider, and fetched by the next request', async () => {
    provider.status = 503;
    const token = await provider.token(claims);
    for (let n = 0; n < 2; n++)
      await expect(verify(token)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    // Callers cannot mend this, so the operator gets one line in the log.
    expect(captured.lines()).toMatchObject([{ level: 40, msg: expect.stringMatching(/^JWT_JWKS_URL: /) }]);
    expect(captured.text()).not.toContain(token);
    provider.status = 200;
    expect(await verify(token)).toMatchObject({ issuer });
  });

  it('in a response that is too large count as an outage of the provider', async () => {
    provider.padding = 256 * 1024;
    const token = await provider.token(claims);
    await expect(verify(token)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(captured.text()).toContain('the answer is longer than 262144 bytes');
    provider.padding = 200 * 1024;
    expect(await verify(token)).toMatchObject({ issuer });
  });
});
