import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Commerce, Credentials } from '../commerce/commerce.ts';
import type { Issuer } from '../config/config.ts';
import { parseAddress } from '../lib/address.ts';
import { GatewayError } from '../lib/errors.ts';
import { allScopes, anonymous, type Caller, type IssuerCaller } from './caller.ts';

/** The headers that say who calls; anything with a case-insensitive `get`. */
export interface HeaderSource {
  get(name: string): string | null;
}

/** A proof by the service is believed this long: short enough that a revoked key soon stops working. */
const proofMs = 60_000;
/** Proofs kept; each is a hash. */
const maxProofs = 10_000;

const digest = (...parts: string[]) => createHash('sha256').update(parts.join('\0')).digest('base64');

/** Tells who calls: by a gateway token, by the service's own headers, or nobody in particular. */
export class Authenticator {
  /** By the token's digest: tokens themselves are not kept, and looking one up leaks nothing by its timing. */
  readonly #tokens = new Map<string, IssuerCaller>();
  readonly #proven = new LRUCache<string, Promise<boolean>>({ max: maxProofs, ttl: proofMs });
  readonly #commerce: Commerce;
  readonly #passthrough: boolean;

  constructor(options: { issuers: Issuer[]; commerce: Commerce; passthrough: boolean }) {
    this.#commerce = options.commerce;
    this.#passthrough = options.passthrough;
    for (const { address, apiKey, tokens } of options.issuers)
      for (const { token, scopes } of tokens)
        this.#tokens.set(digest(token), {
          kind: 'issuer',
          issuer: address,
          scopes: new Set(scopes),
          credentials: { issuer: address, apiKey },
        });
  }

  /** @throws GatewayError UNAUTHENTICATED when credentials were given and do not hold. */
  async caller(headers: HeaderSource): Promise<Caller> {
    const authorization = headers.get('authorization');
    if (authorization) return this.#byToken(authorization);
    const apiKey = headers.get('commerce-api-key');
    const issuer = headers.get('issuer-address');
    if (apiKey === null && issuer === null) return anonymous;
    return this.#byPassthrough(apiKey, issuer);
  }

  #byToken(authorization: string): IssuerCaller {
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    const caller = token && this.#tokens.get(digest(token));
    if (caller) return caller;
    throw unauthenticated('The token is not known. Send "Authorization: Bearer <token>" with a valid token.');
  }

  async #byPassthrough(apiKey: string | null, address: string | null): Promise<IssuerCaller> {
    if (!this.#passthrough)
      throw unauthenticated('This gateway takes no commerce-api-key from callers; send a token.');
    if (apiKey === null || address === null)
      throw unauthenticated('Missing header: commerce-api-key and issuer-address go together.');
    const issuer = parseAddress(address);
    if (!issuer) throw unauthenticated('issuer-address must be an Ethereum address.');
    if (!(await this.#prove({ issuer, apiKey })))
      throw unauthenticated(`The service says that the API key is not valid for ${issuer}.`);
    return { kind: 'issuer', issuer, scopes: new Set(allScopes), credentials: { issuer, apiKey } };
  }

  /** Naming an issuer's address opens nothing: the service must have taken the key for it. */
  #prove(credentials: Credentials): Promise<boolean> {
    const name = digest(credentials.issuer, credentials.apiKey);
    const known = this.#proven.get(name);
    if (known) return known;
    const proof = this.#commerce.verify(credentials);
    this.#proven.set(name, proof);
    // An outage proves nothing either way; only answers are remembered.
    proof.catch(() => this.#proven.delete(name));
    return proof;
  }
}

const unauthenticated = (message: string) => new GatewayError({ code: 'UNAUTHENTICATED', message });
