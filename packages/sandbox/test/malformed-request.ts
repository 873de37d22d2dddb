import type { TestIssuer } from '../testing/issuer.ts';
import type { Placed } from './open-api.ts';

export interface MalformedRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Method and path of its documented operation. Absent: it has none. */
  operation?: string | undefined;
  /** Absent: the sandbox's. */
  origin?: string;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
  /** The fault, for messages. */
  what: string;
  /** The statuses that the document, or the protocol of the API, allows for it. */
  statuses: readonly number[];
  /** The form of its refusal. Refusals of the server itself are always envelopes. */
  form: 'envelope' | 'graphql' | 'xml' | 'read' | 'content' | 'rpc';
}

export interface World {
  issuer: TestIssuer;
  /** A finalUrl that is ready. */
  image: string;
  /** Every documented operation, so that new ones are tested too. */
  operations: readonly Placed[];
}
