import type { Address } from '@srr-gateway/common/address';
import type { Scope } from '../model/scope.ts';
import { digest } from './digest.ts';
import type { Issuers } from './issuers.ts';
import type { BearerToken } from './request-credentials.ts';

/** Which issuer a token acts for, and what it may do. */
export interface TokenGrant {
  issuer: Address;
  scopes: readonly Scope[];
}

/** Looks up tokens of the configuration. Stores only their digests in memory. */
export function configuredTokens(issuers: Issuers): (token: BearerToken) => TokenGrant | undefined {
  let grants = new Map<string, TokenGrant>();
  issuers.follow((all) => {
    grants = new Map(
      all.flatMap(({ address, tokens }) =>
        tokens.map(({ token, scopes }) => [digest(token), { issuer: address, scopes }] as const),
      ),
    );
  });
  return ({ digest }) => grants.get(digest);
}
