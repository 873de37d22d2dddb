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
  it('speaks for the issuer and the scopes that its claims name', async () => {
    expect(await verify(await provider.token(claims))).toEqual({ issuer, scopes: ['read', 'issue'] });
    const words = await provider.token({ ...claims, permissions: 'openid upload' });
    expect(await verify(words)).toEqual({ issuer, scopes: ['upload'] });
  });

  it.each([
    ['of another issuer', { iss: 'https://other.example' }, {}, /claim "iss"/],
    ['for another audience', { aud: 'another' }, {}, /claim "aud"/],
    ['that has expired', {}, { expires: '2 minutes ago' }, /has expired/],
    ['that is not valid yet', { nbf: Math.floor(Date.now() / 1000) + 3_600 }, {}, /claim "nbf"/],
    ['of somebody else’s key', {}, { key: 'foreign' }, /signature is not valid/],
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
    // A known attack: the public key, which is no secret, used as a shared secret.
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

  it('whose header is at fault is refused as that, and not as if its keys could not be fetched', async () => {
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
    expect(captured.lines()).toEqual([]);
  });

  it('without an end is refused', async () => {
    await expect(verify(await provider.token(claims, { expires: null }))).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringMatching(/claim "exp" is missing/),
    });
  });
});

describe('a token that was verified', () => {
  it('is taken until it ends, give or take what clocks differ, and its key is looked for within minutes', async () => {
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
    // The cache reads its clock once in a millisecond.
    const told = (token: string) => verify(token).then(JSON.stringify, ({ message }: Error) => message);
    await expect.poll(() => told(short)).toMatch(/has expired/);
    await provider.rotate(false);
    expect(await verify(long)).toMatchObject({ issuer });
    goTo(11 * 60);
    await expect.poll(() => told(long)).toMatch(/a key that is not at JWT_JWKS_URL/);
  });
});

describe('the provider’s keys', () => {
  it('are fetched once for many tokens', async () => {
    for (let n = 0; n < 20; n++) await verify(await provider.token({ ...claims, jti: String(n) }));
    expect(provider.fetched).toBe(1);
  });

  it('are fetched again when a token has a new one; a key that is gone opens nothing new', async () => {
    const before = await provider.token(claims);
    await verify(before);
    const another = await provider.token({ ...claims, jti: 'another' });
    await provider.rotate(false);
    expect(await verify(await provider.token(claims))).toMatchObject({ issuer });
    expect(provider.fetched).toBe(2);
    await expect(verify(another)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('are not fetched for every made-up key', async () => {
    const patient = jwtVerifier({ ...provider, issuerClaim: 'a', scopeClaim: 'b' }, captured.log);
    for (let n = 0; n < 10; n++) {
      await provider.rotate(true);
      await patient(tokenOf(await provider.token(claims))).catch(() => {});
    }
    expect(provider.fetched).toBe(1);
  });

  it('that cannot be fetched are nobody’s fault but the provider’s, and the next request asks again', async () => {
    provider.status = 503;
    const token = await provider.token(claims);
    for (let n = 0; n < 2; n++)
      await expect(verify(token)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    // Callers cannot help it, so the operator has to hear of it, once.
    expect(captured.lines()).toMatchObject([{ level: 40, msg: expect.stringMatching(/^JWT_JWKS_URL: /) }]);
    expect(captured.text()).not.toContain(token);
    provider.status = 200;
    expect(await verify(token)).toMatchObject({ issuer });
  });

  it('that are longer than keys are count as not fetched', async () => {
    provider.padding = 256 * 1024;
    const token = await provider.token(claims);
    await expect(verify(token)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(captured.text()).toContain('the answer is longer than 262144 bytes');
    provider.padding = 200 * 1024;
    expect(await verify(token)).toMatchObject({ issuer });
  });
});
