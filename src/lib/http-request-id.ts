import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Request ids that are accepted. They go unescaped into headers and logs. */
const wellFormed = /^[\w.-]{8,64}$/;
/** W3C Trace Context: version, trace id, parent id, flags. */
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}/;

const requestId = Symbol('request id');

/**
 * The id of a request: the caller's own, else that of its trace, else a new one. The answer has it as
 * `X-Request-Id`; log lines and masked errors have it too.
 */
export function requestIdOf({ req }: { req: IncomingMessage & { [requestId]?: string } }): string {
  req[requestId] ??= idIn(req.headers) ?? randomUUID();
  return req[requestId];
}

function idIn({ 'x-request-id': id, traceparent: parent }: IncomingMessage['headers']): string | undefined {
  if (typeof id === 'string' && wellFormed.test(id)) return id;
  return typeof parent === 'string' ? traceparent.exec(parent)?.[1] : undefined;
}
