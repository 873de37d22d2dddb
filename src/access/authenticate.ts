import type { Address } from '@srr-gateway/common/address';
import type { Logger } from '@srr-gateway/common/log';
import { LRUCache } from 'lru-cache';
import type { Commerce, Credentials } from '../clients/commerce/commerce.ts';
import type { JwtConfig } from '../config/config.ts';
import { after, type MaybePromise } from '../lib/maybe-promise.ts';
import { unauthenticated } from '../model/errors.ts';
import { scopes } from '../model/scope.ts';
import type { Db } from '../store/store.ts';
import { anonymous, type Caller, type IssuerCaller } from './caller.ts';
import { configuredTokens, type TokenGrant } from './configured-tokens.ts';
import type { Issuers } from './issuers.ts';
import { jwtVerifier, looksLikeJwt } from './jwt.ts';
import { passthrough } from './passthrough.ts';
import { type BearerToken, nameOf, type RequestCredentials } from './request-credentials.ts';
import { storedTokens } from './stored-tokens.ts';

/** How long verified credentials are cached, only to count requests per caller, never to grant access. */
const verifiedMs = 60_000;
const maxVerified = 10_000;
/**
 * Concurrent token look-ups for the rate limiter. A look-up takes a millisecond, and a flood of made-up tokens must
 * not occupy the database.
 */
const maxVerifying = 2;

/** Dependencies and settings of the authenticator. */
export interface AuthenticatorOptions {
  issuers: Issuers;
  db: Db;
  commerce: Commerce;
  passthrough: boolean;
  /** Absent: JWTs of an identity provider are not accepted. */
  jwt: JwtConfig | undefined;
  log: Logger;
}

/**
 * Authenticates requests: by bearer token, JWT or the service's own headers. Without credentials the caller
 * is anonymous.
 */
export class Authenticator {
  readonly #issuers: Issuers;
  readonly #configured: (token: BearerToken) => TokenGrant | undefined;
  readonly #stored: (token: BearerToken) => Promise<TokenGrant | undefined>;
  readonly #jwt: ((token: BearerToken) => Promise<TokenGrant>) | undefined;
  readonly #passthrough: ((apiKey?: string, issuer?: string) => Promise<Credentials>) | undefined;

  readonly #verified = new LRUCache<string, Address>({ max: maxVerified, ttl: verifiedMs });
  #verifying = 0;

  constructor({ issuers, db, commerce, jwt, passthrough: on, log }: AuthenticatorOptions) {
    this.#issuers = issuers;
    this.#configured = configuredTokens(issuers);
    this.#stored = storedTokens(db);
    this.#jwt = jwt && jwtVerifier(jwt, log);
    this.#passthrough = on ? passthrough(commerce) : undefined;
  }

  /** The issuer of recently verified credentials, which are not checked again. */
  verifiedIssuer(credentials: RequestCredentials): Address | undefined {
    const name = nameOf(credentials);
    return name === undefined ? undefined : this.#verified.get(name);
  }

  /**
   * The issuer of a token that was not verified recently, for a caller whose address is over the rate limit. Checks
   * few tokens at a time, and no API keys, which only the issuance service can verify.
   */
  async verify(credentials: RequestCredentials): Promise<Address | undefined> {
    if (credentials.kind !== 'authorization' || this.#verifying >= maxVerifying) return undefined;
    this.#verifying++;
    try {
      const caller = await this.caller(credentials);
      return caller.kind === 'issuer' ? caller.issuer : undefined;
    } catch {
      return undefined;
    } finally {
      this.#verifying--;
    }
  }

  /**
   * The caller of a request. @throws GatewayError UNAUTHENTICATED when it has credentials that are not valid.
   */
  async caller(credentials: RequestCredentials): Promise<Caller> {
    if (credentials.kind === 'nothing') return anonymous;
    const caller = await this.#authenticate(credentials);
    const name = nameOf(credentials);
    if (name !== undefined) this.#verified.set(name, caller.issuer);
    return caller;
  }

  #authenticate(credentials: Exclude<RequestCredentials, { kind: 'nothing' }>): MaybePromise<IssuerCaller> {
    if (credentials.kind === 'key') return this.#byKey(credentials.apiKey, credentials.issuer);
    const { token } = credentials;
    return after(token && this.#grantOf(token), (grant) => this.#granted(grant));
  }

  async #byKey(apiKey: string | undefined, address: string | undefined): Promise<IssuerCaller> {
    if (!this.#passthrough)
      throw unauthenticated(
        'This gateway does not accept commerce-api-key from callers (PASSTHROUGH is off). Send "Authorization: Bearer <token>".',
      );
    const credentials = await this.#passthrough(apiKey, address);
    return { kind: 'issuer', issuer: credentials.issuer, scopes: new Set(scopes), credentials };
  }

  #grantOf(token: BearerToken): MaybePromise<TokenGrant | undefined> {
    const configured = this.#configured(token);
    if (configured) return configured;
    return this.#jwt && looksLikeJwt(token.text) ? this.#jwt(token) : this.#stored(token);
  }

  #granted(grant: TokenGrant | undefined): IssuerCaller {
    if (!grant)
      throw unauthenticated(
        'The token is not known. Send "Authorization: Bearer <token>" with a valid token.',
      );
    const { issuer, scopes } = grant;
    const apiKey = this.#issuers.apiKeyOf(issuer);
    if (apiKey === undefined)
      throw unauthenticated(
        `The token is for ${issuer}, which is not an issuer of this gateway. Ask its operator.`,
      );
    return { kind: 'issuer', issuer, scopes: new Set(scopes), credentials: { issuer, apiKey } };
  }
}
