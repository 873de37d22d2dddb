import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What proxies and programs make: UUIDs, numbers, words. It goes into headers and logs as it is. */
const wellFormed = /^[\w.-]{8,64}$/;
/** W3C Trace Context: version, trace id, parent id, flags. */
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}/;

const header = 'x-request-id';

/**
 * Names a request as its sender or a proxy does, or anew, and tells the name back: its log lines have it, and
 * so have errors that only the log explains.
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

/** The name of the request that this answers. */
export const requestIdOf = (res: ServerResponse): string => String(res.getHeader(header));
