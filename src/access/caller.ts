import type { Address } from '@srr-gateway/common/address';
import type { Credentials } from '../clients/commerce/commerce.ts';
import { unauthenticated } from '../model/errors.ts';
import type { Scope } from '../model/scope.ts';

/** Who sent a request, after authentication. */
export type Caller = Anonymous | IssuerCaller;

/** A caller without credentials. */
export interface Anonymous {
  kind: 'anonymous';
}

/** A caller that acts for an issuer. */
export interface IssuerCaller {
  kind: 'issuer';
  issuer: Address;
  scopes: ReadonlySet<Scope>;
  /** Credentials for the upstream calls of this caller. Secret. */
  credentials: Credentials;
}

/** The caller of requests without credentials. */
export const anonymous: Anonymous = { kind: 'anonymous' };

/**
 * The caller of a field that needs a scope, which is always an issuer.
 * @throws GatewayError UNAUTHENTICATED for an anonymous caller.
 */
export function requireIssuer({ caller }: { caller: Caller }): IssuerCaller {
  if (caller.kind === 'issuer') return caller;
  throw issuerRequired();
}

/** The error for an anonymous caller of a field that needs an issuer. */
export const issuerRequired = () =>
  unauthenticated(
    'This needs the credentials of an issuer: send "Authorization: Bearer <token>", or the headers commerce-api-key and issuer-address.',
  );

/** Whether the caller is an issuer whose credentials have this scope. */
export function mayUse(caller: Caller, scope: Scope): boolean {
  return caller.kind === 'issuer' && caller.scopes.has(scope);
}
