import type { IncomingMessage } from 'node:http';
import { digest } from './digest.ts';

/** Headers as Node provides them: names in lower case, lists only for headers that cannot be joined. */
export type CallerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A bearer token, and the digest that stands for it in caches and tables. */
export interface BearerToken {
  text: string;
  digest: string;
}

/** The credentials of a request, not yet checked. */
export type RequestCredentials =
  | { kind: 'nothing' }
  /** `token` is undefined when the header is not a bearer token. */
  | { kind: 'authorization'; token: BearerToken | undefined }
  /** The service's own headers, `commerce-api-key` and `issuer-address`. */
  | { kind: 'key'; apiKey: string | undefined; issuer: string | undefined };

const read = Symbol('credentials');

/** The credentials of a request. Reads and hashes them once, for the rate limit and the operation. */
export function credentialsOf(req: IncomingMessage & { [read]?: RequestCredentials }): RequestCredentials {
  req[read] ??= credentialsIn(req.headers);
  return req[read];
}

/** Reads credentials from headers without a request, such as those in a socket's first message. */
export function credentialsIn(headers: CallerHeaders): RequestCredentials {
  const authorization = single(headers.authorization);
  // Many clients send an empty header without a session. Treat it as absent.
  if (authorization) {
    const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    return { kind: 'authorization', token: text === undefined ? undefined : tokenOf(text) };
  }
  const apiKey = single(headers['commerce-api-key']);
  const issuer = single(headers['issuer-address']);
  if (apiKey === undefined && issuer === undefined) return { kind: 'nothing' };
  return { kind: 'key', apiKey, issuer };
}

/** The digest of credentials; undefined when they have no token or API key. */
export function nameOf(credentials: RequestCredentials): string | undefined {
  if (credentials.kind === 'authorization') return credentials.token?.digest;
  if (credentials.kind === 'nothing' || credentials.apiKey === undefined) return undefined;
  return digest(credentials.apiKey, credentials.issuer ?? '');
}

/** A bearer token with its digest. */
export const tokenOf = (text: string): BearerToken => ({ text, digest: digest(text) });

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;
