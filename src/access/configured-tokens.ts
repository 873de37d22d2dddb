import type { Address } from '../lib/address.ts';
import type { Scope } from './caller.ts';
import { digest } from './digest.ts';
import type { Issuers } from './issuers.ts';

/** Whom a token speaks for. */
export interface TokenGrant {
  issuer: Address;
  scopes: readonly Scope[];
}

/** Tokens of the configuration, by their digests: the tokens themselves are not kept. */
export function configuredTokens(issuers: Issuers): (token: string) => TokenGrant | undefined {
  let grants = new Map<string, TokenGrant>();
  issuers.follow((all) => {
    grants = new Map(
      all.flatMap(({ address, tokens }) =>
        tokens.map(({ token, scopes }) => [digest(token), { issuer: address, scopes }] as const),
      ),
    );
  });
  return (token) => grants.get(digest(token));
}
