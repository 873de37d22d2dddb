import { graphqlPath } from './operation-params.ts';
import { addressOf } from './request-address.ts';
import { jsonType } from './send.ts';

/** An error as plain data: its code, its message, and whatever else is known of it. */
export interface ErrorBody {
  code: string;
  message: string;
}

/** Where plain HTTP serves its resources (`src/rest`). */
export const restPaths = ['/records', '/issuances'];

export const isRestPath = (pathname: string): boolean =>
  restPaths.some((path) => pathname === path || pathname.startsWith(`${path}/`));

/** The media type and text of an error, in the form in which clients of its address look for it. */
export function errorBody(url: string, status: number, error: ErrorBody): { type: string; text: string } {
  const pathname = addressOf(url)?.pathname ?? '';
  if (pathname.startsWith(graphqlPath)) {
    const { message, ...extensions } = error;
    return { type: jsonType, text: JSON.stringify({ errors: [{ message, extensions }] }) };
  }
  if (isRestPath(pathname))
    return { type: 'application/problem+json', text: JSON.stringify(problem(status, error)) };
  return { type: jsonType, text: JSON.stringify({ error }) };
}

/** More exact than the code of errors that the server finds before a route. */
const codes: Record<number, string> = {
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'BODY_TOO_SLOW',
  413: 'BODY_TOO_LONG',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

/** The error as problem details (RFC 9457). `type` and `code` are stable, and the same thing. */
function problem(status: number, { code: given, message, ...details }: ErrorBody): object {
  const code = given === 'INVALID_INPUT' ? (codes[status] ?? given) : given;
  const words = code.toLowerCase().replaceAll('_', ' ');
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return { type: `urn:problem-type:srr-gateway:${code}`, title, status, code, detail: message, ...details };
}
