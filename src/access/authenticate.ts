import { LRUCache } from 'lru-cache';
import type { Commerce, Credentials } from '../commerce/commerce.ts';
import type { JwtConfig } from '../config/config.ts';
import type { Address } from '../lib/address.ts';
import type { Db } from '../store/store.ts';
import { allScopes, anonymous, type Caller, type IssuerCaller } from './caller.ts';
import { configuredTokens, type TokenGrant } from './configured-tokens.ts';
import { digest } from './digest.ts';
import type { Issuers } from './issuers.ts';
import { jwtVerifier, looksLikeJwt } from './jwt.ts';
import { passthrough } from './passthrough.ts';
import { storedTokens } from './stored-tokens.ts';
import { unauthenticated } from './unauthenticated.ts';

/** The headers that say who calls; anything with a case-insensitive `get`. */
export interface HeaderSource {
  get(name: string): string | null;
}

/** How long a proof tells a caller from a stranger, for counting its requests only. */
const provenMs = 60_000;
const maxProven = 10_000;
/** A token is looked up in a millisecond; a flood of made-up ones must leave the store to others. */
const maxProofs = 2;

/** A name for what a request proves itself with; undefined: nothing. */
function credentialsOf(headers: HeaderSource): string | undefined {
  const authorization = headers.get('authorization');
  // Empty it proves nothing, and many who are not signed in send it so.
  if (authorization) return digest(authorization);
  const apiKey = headers.get('commerce-api-key');
  return apiKey === null ? undefined : digest(apiKey, headers.get('issuer-address') ?? '');
}

export interface AuthenticatorOptions {
  issuers: Issuers;
  db: Db;
  commerce: Commerce;
  passthrough: boolean;
  /** Absent: no sign-in tokens. */
  jwt: JwtConfig | undefined;
}

/** Tells who calls: by a token, a sign-in token or the service's own headers, or nobody in particular. */
export class Authenticator {
  readonly #issuers: Issuers;
  readonly #configured: (token: string) => TokenGrant | undefined;
  readonly #stored: (token: string) => Promise<TokenGrant | undefined>;
  readonly #jwt: ((token: string) => Promise<TokenGrant>) | undefined;
  readonly #passthrough: ((apiKey: string | null, issuer: string | null) => Promise<Credentials>) | undefined;

  readonly #proven = new LRUCache<string, Address>({ max: maxProven, ttl: provenMs });
  #proofs = 0;

  constructor({ issuers, db, commerce, jwt, passthrough: on }: AuthenticatorOptions) {
    this.#issuers = issuers;
    this.#configured = configuredTokens(issuers);
    this.#stored = storedTokens(db);
    this.#jwt = jwt && jwtVerifier(jwt);
    this.#passthrough = on ? passthrough(commerce) : undefined;
  }

  /** The issuer of credentials that were proven a moment ago, without proving them again. */
  provenIssuer(headers: HeaderSource): Address | undefined {
    const name = credentialsOf(headers);
    return name === undefined ? undefined : this.#proven.get(name);
  }

  /**
   * The issuer of a token that was not proven of late, for a caller that would be turned away otherwise. Few
   * at a time; keys that only the service can prove are not sent there for it.
   */
  async prove(headers: HeaderSource): Promise<Address | undefined> {
    if (!headers.get('authorization') || this.#proofs >= maxProofs) return undefined;
    this.#proofs++;
    try {
      const caller = await this.caller(headers);
      return caller.kind === 'issuer' ? caller.issuer : undefined;
    } catch {
      return undefined;
    } finally {
      this.#proofs--;
    }
  }

  /** @throws GatewayError UNAUTHENTICATED when credentials were given and do not hold. */
  async caller(headers: HeaderSource): Promise<Caller> {
    const caller = await this.#caller(headers);
    const name = credentialsOf(headers);
    if (caller.kind === 'issuer' && name !== undefined) this.#proven.set(name, caller.issuer);
    return caller;
  }

  async #caller(headers: HeaderSource): Promise<Caller> {
    const authorization = headers.get('authorization');
    if (authorization) return this.#byToken(authorization);
    const apiKey = headers.get('commerce-api-key');
    const issuer = headers.get('issuer-address');
    if (apiKey === null && issuer === null) return anonymous;
    if (!this.#passthrough)
      throw unauthenticated('This gateway takes no commerce-api-key from callers; send a token.');
    const credentials = await this.#passthrough(apiKey, issuer);
    return { kind: 'issuer', issuer: credentials.issuer, scopes: new Set(allScopes), credentials };
  }

  async #byToken(authorization: string): Promise<IssuerCaller> {
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    const grant = token === undefined ? undefined : await this.#grantOf(token);
    if (!grant)
      throw unauthenticated(
        'The token is not known. Send "Authorization: Bearer <token>" with a valid token.',
      );
    const { issuer, scopes } = grant;
    const apiKey = this.#issuers.apiKeyOf(issuer);
    if (apiKey === undefined)
      throw unauthenticated(`The token speaks for ${issuer}, which is no issuer of this gateway.`);
    return { kind: 'issuer', issuer, scopes: new Set(scopes), credentials: { issuer, apiKey } };
  }

  async #grantOf(token: string): Promise<TokenGrant | undefined> {
    const configured = this.#configured(token);
    if (configured) return configured;
    return this.#jwt && looksLikeJwt(token) ? this.#jwt(token) : this.#stored(token);
  }
}
