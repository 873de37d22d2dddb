import { graphqlPath } from './operation-params.ts';
import { parseRequestUrl } from './request-url.ts';
import { jsonType } from './send.ts';

/** An error as plain data: its code, its message, and possibly further members. */
export interface ErrorBody {
  code: string;
  message: string;
}

/** Where plain HTTP serves its resources (`src/rest`). */
export const restPaths = ['/records', '/issuances'];

export const isRestPath = (pathname: string): boolean =>
  restPaths.some((path) => pathname === path || pathname.startsWith(`${path}/`));

/** The media type and text of an error, in the form that clients of this address expect. */
export function errorBody(url: string, status: number, error: ErrorBody): { type: string; text: string } {
  const pathname = parseRequestUrl(url)?.pathname ?? '';
  if (pathname.startsWith(graphqlPath)) {
    const { message, ...extensions } = error;
    return { type: jsonType, text: JSON.stringify({ errors: [{ message, extensions }] }) };
  }
  if (isRestPath(pathname))
    return { type: 'application/problem+json', text: JSON.stringify(problem(status, error)) };
  return { type: jsonType, text: JSON.stringify({ error }) };
}

/** Codes by status. They are more exact than the INVALID_INPUT of errors that occur before a route runs. */
const codes: Record<number, string> = {
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'BODY_TOO_SLOW',
  413: 'BODY_TOO_LONG',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

/** The error as problem details (RFC 9457). `type` and `code` are stable, and say the same. */
function problem(status: number, { code: original, message, ...details }: ErrorBody): object {
  const code = original === 'INVALID_INPUT' ? (codes[status] ?? original) : original;
  const words = code.toLowerCase().replaceAll('_', ' ');
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return { type: `urn:problem-type:srr-gateway:${code}`, title, status, code, detail: message, ...details };
}
