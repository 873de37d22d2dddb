import type { Address } from '@srr-gateway/common/address';
import type { Credentials } from '../clients/commerce/commerce.ts';
import type { Scope } from '../model/scope.ts';

/** Who sent a request, after its credentials were proven. */
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
  /** What is sent upstream in this caller's name. Secret. */
  credentials: Credentials;
}

export const anonymous: Anonymous = { kind: 'anonymous' };
