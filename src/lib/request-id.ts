import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Request ids of proxies and programs: UUIDs, numbers, words. They go unescaped into headers and logs. */
const wellFormed = /^[\w.-]{8,64}$/;
/** W3C Trace Context: version, trace id, parent id, flags. */
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}/;

const header = 'x-request-id';

/**
 * Takes the request id from `X-Request-Id`, else from the trace, else makes one, and sets it on the answer.
 * Log lines have it, and so have errors whose reason only the log shows.
 */
export function nameRequest({ headers }: IncomingMessage, res: ServerResponse): string {
  const given = headers[header];
  const id = typeof given === 'string' && wellFormed.test(given) ? given : (traceOf(headers) ?? randomUUID());
  res.setHeader(header, id);
  return id;
}

function traceOf({ traceparent: parent }: IncomingMessage['headers']): string | undefined {
  return typeof parent === 'string' ? traceparent.exec(parent)?.[1] : undefined;
}

/** The id of the request that `res` answers, after `nameRequest`. */
export const requestIdOf = (res: ServerResponse): string => String(res.getHeader(header));
