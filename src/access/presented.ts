import type { IncomingMessage } from 'node:http';
import { digest } from './digest.ts';

/** As Node gives them: names in lower case, and a list only of what may stand in no single line. */
export type CallerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A bearer token, and the name that is kept of it. */
export interface Token {
  text: string;
  digest: string;
}

/** What a request shows to prove who calls. */
export type Presented =
  | { kind: 'nothing' }
  /** Without a token when the header cannot be read. */
  | { kind: 'authorization'; token: Token | undefined }
  /** The service's own headers. */
  | { kind: 'key'; apiKey: string | undefined; issuer: string | undefined };

const read = Symbol('presented');

/** The rate limit looks at a request, and then its operation: what it shows is read and hashed once. */
export function presentedBy(req: IncomingMessage & { [read]?: Presented }): Presented {
  req[read] ??= presentedIn(req.headers);
  return req[read];
}

/** The same of what is no request of its own. */
export function presentedIn(headers: CallerHeaders): Presented {
  const authorization = single(headers.authorization);
  // Empty it proves nothing, and many who are not signed in send it so.
  if (authorization) {
    const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    return { kind: 'authorization', token: text === undefined ? undefined : tokenOf(text) };
  }
  const apiKey = single(headers['commerce-api-key']);
  const issuer = single(headers['issuer-address']);
  if (apiKey === undefined && issuer === undefined) return { kind: 'nothing' };
  return { kind: 'key', apiKey, issuer };
}

/** A name for it by which it is known again; undefined: it proves nothing. */
export function nameOf(presented: Presented): string | undefined {
  if (presented.kind === 'authorization') return presented.token?.digest;
  if (presented.kind === 'nothing' || presented.apiKey === undefined) return undefined;
  return digest(presented.apiKey, presented.issuer ?? '');
}

export const tokenOf = (text: string): Token => ({ text, digest: digest(text) });

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;
