import type { TestIssuer } from '../testing/issuer.ts';
import type { Placed } from './open-api.ts';

export interface MalformedRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Method and path of the documented operation that it aims at; absent: at none. */
  operation?: string | undefined;
  /** Absent: the sandbox's. */
  origin?: string;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
  /** For messages: what is wrong with it. */
  what: string;
  /** Those that the document, or the surface's own protocol, has for it. */
  statuses: readonly number[];
  /** What its refusal looks like; an answer of the server itself is an envelope everywhere. */
  form: 'envelope' | 'graphql' | 'xml' | 'read' | 'content' | 'rpc';
}

export interface World {
  issuer: TestIssuer;
  /** A finalUrl that is ready. */
  image: string;
  /** Every documented operation: a new one is aimed at from then on. */
  operations: readonly Placed[];
}
