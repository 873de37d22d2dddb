import { parseAddress } from '@srr-gateway/common/address';
import type { Logger } from '@srr-gateway/common/log';
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { JwtConfig } from '../config/config.ts';
import { GatewayError, unauthenticated } from '../model/errors.ts';
import { scopes } from '../model/scope.ts';
import type { TokenGrant } from './configured-tokens.ts';
import type { BearerToken } from './request-credentials.ts';

/**
 * Asymmetric algorithms only: with a shared secret, anyone who reads the gateway's configuration could make tokens.
 */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Allowance for clocks that differ. */
const clockToleranceSeconds = 30;
/** A person is waiting, so a slower provider counts as down. */
const fetchMs = 5_000;
/**
 * Minimum time between fetches of the keys. An unknown key id causes a fetch, and made-up ids must not flood the
 * provider.
 */
const refetchMs = 30_000;
/** A provider has some keys of 1 or 2 KB. Parsing many megabytes would block the process for seconds. */
const maxKeysBytes = 256 * 1024;
/** How long a verified token is cached, at most until its expiry. */
const verifiedMs = 60_000;
const maxVerified = 10_000;
/** Minimum time between log lines about refused tokens, which anybody can send. */
const warnAgainMs = 60_000;

/**
 * Verifies JWTs of the front-end's identity provider.
 * @throws GatewayError UNAUTHENTICATED for a token that is not valid, UPSTREAM_UNAVAILABLE when the
 * provider's keys cannot be fetched.
 */
export function jwtVerifier(config: JwtConfig, log: Logger, options: { refetchMs?: number } = {}) {
  const keys = createRemoteJWKSet(new URL(config.jwksUrl), {
    timeoutDuration: fetchMs,
    cooldownDuration: options.refetchMs ?? refetchMs,
    [customFetch]: fetchBounded,
  });
  let warnedAt = Number.NEGATIVE_INFINITY;
  const grants = new LRUCache<string, TokenGrant>({ max: maxVerified, ttl: verifiedMs });

  return async ({ text, digest: name }: BearerToken): Promise<TokenGrant> => {
    const known = grants.get(name);
    if (known) return known;
    const payload = await verified(text);
    const grant = grantOf(payload, config);
    const endsIn = (payload.exp ?? 0) * 1000 - Date.now();
    if (endsIn > 0) grants.set(name, grant, { ttl: Math.min(verifiedMs, endsIn) });
    return grant;
  };

  async function verified(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms,
        issuer: config.issuer,
        audience: config.audience,
        clockTolerance: clockToleranceSeconds,
        // Without an expiry a stolen token would be valid for ever.
        requiredClaims: ['exp'],
      });
      return payload;
    } catch (error) {
      const refused = refusal(error);
      if (refused.code === 'UPSTREAM_UNAVAILABLE' && performance.now() - warnedAt > warnAgainMs) {
        log.warn({ err: error }, 'JWT_JWKS_URL: the keys cannot be fetched');
        warnedAt = performance.now();
      }
      throw refused;
    }
  }
}

/** Fetches the keys. @throws for more than `maxKeysBytes`, before they are in memory. */
async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  const { status, body } = await fetch(url, init);
  const pieces: Uint8Array[] = [];
  let left = maxKeysBytes;
  for await (const piece of body ?? []) {
    left -= piece.length;
    if (left < 0) throw new Error(`the answer is longer than ${maxKeysBytes} bytes`);
    pieces.push(piece);
  }
  return new Response(Buffer.concat(pieces), { status });
}

/** Whether a token has the three parts of a JWT. Tokens that the gateway makes have no dots. */
export const looksLikeJwt = (token: string) => /^[\w-]+\.[\w-]*\.[\w-]*$/.test(token);

function grantOf(payload: JWTPayload, { issuerClaim, scopeClaim }: JwtConfig): TokenGrant {
  const issuerText = payload[issuerClaim];
  const issuer = typeof issuerText === 'string' ? parseAddress(issuerText) : undefined;
  if (!issuer) throw unauthenticated(`The JWT's claim "${issuerClaim}" must be the issuer's address.`);
  const scopeValue = payload[scopeClaim];
  const scopeNames = Array.isArray(scopeValue)
    ? scopeValue
    : typeof scopeValue === 'string'
      ? scopeValue.split(' ')
      : [];
  return { issuer, scopes: scopes.filter((scope) => scopeNames.includes(scope)) };
}

/** The error for a refused token. Its message never quotes the token. */
function refusal(error: unknown): GatewayError {
  if (error instanceof errors.JWTExpired)
    return unauthenticated('The JWT has expired. Sign in again.', error);
  if (error instanceof errors.JWTClaimValidationFailed)
    return unauthenticated(
      `The JWT's claim "${error.claim}" is missing, or has a value that this gateway does not accept.`,
      error,
    );
  if (error instanceof errors.JOSEAlgNotAllowed)
    return unauthenticated(
      'The JWT must be signed with a private key: "none" and shared secrets are refused.',
      error,
    );
  if (error instanceof errors.JWKSNoMatchingKey)
    return unauthenticated('The JWT is signed with a key that is not at JWT_JWKS_URL. Sign in again.', error);
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return unauthenticated(
      'The JWT’s header must name its key (kid), because several keys at JWT_JWKS_URL fit it.',
      error,
    );
  if (error instanceof errors.JOSENotSupported)
    return unauthenticated('The JWT needs an extension that this gateway does not know.', error);
  if (error instanceof errors.JWTInvalid || error instanceof errors.JWSInvalid)
    return unauthenticated('The JWT is malformed. Sign in again.', error);
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return unauthenticated('The JWT’s signature is not valid. Sign in again.', error);
  return new GatewayError(
    {
      code: 'UPSTREAM_UNAVAILABLE',
      message: 'The identity provider’s keys cannot be fetched, so no JWT can be checked. Try again later.',
    },
    { cause: error },
  );
}
