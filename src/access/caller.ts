import type { Address } from '@srr-gateway/common/address';
import type { Credentials } from '../clients/commerce/commerce.ts';

export type Scope = 'read' | 'upload' | 'issue';
export const allScopes: readonly Scope[] = ['read', 'upload', 'issue'];

/** Who sent a request, once proven. */
export type Caller = Anonymous | IssuerCaller;

export interface Anonymous {
  kind: 'anonymous';
}

export interface IssuerCaller {
  kind: 'issuer';
  issuer: Address;
  scopes: ReadonlySet<Scope>;
  /** What goes upstream in this caller's name. Secret. */
  credentials: Credentials;
}

export const anonymous: Anonymous = { kind: 'anonymous' };
