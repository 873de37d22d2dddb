import type { OutageLog } from '@srr-gateway/common/outage-log';
import { excerpt, retryAfterMs } from '../failure.ts';
import { type HttpAnswer, HttpFailure } from '../http.ts';
import { readErrors, SubgraphError } from './failure.ts';

/** How failures of one address are reported. */
export interface Reporting {
  /**
   * Logs answers that are not GraphQL, as from a wrong address, once for each outage: blocks are polled for twice a
   * second.
   */
  outage: OutageLog;
  /** Removes the gateway’s keys from what the subgraph says, before a caller or the log gets it. */
  hideKeys(text: string): string;
}

/** The error for an answer with an HTTP error status. */
export function refused(
  { status, headers, body }: HttpAnswer,
  { outage, hideKeys }: Reporting,
): SubgraphError {
  const wait = retryAfterMs(headers);
  if (status === 429) return new SubgraphError('RATE_LIMITED', { status, retryAfterMs: wait });
  const isUnauthorised = status === 401 || status === 403;
  const errors = isUnauthorised ? [] : errorsIn(body);
  const read = errors.length > 0 ? readErrors(errors, hideKeys) : undefined;
  // A balancer may report in GraphQL's form that nobody answers behind it.
  if (read && !(read.kind === 'UNKNOWN' && fromBalancer.has(status))) return read;
  outage.failed(new Error(`status ${status}: ${excerpt(Buffer.from(hideKeys(body.toString())))}`));
  // 402: the host wants to be paid before it takes the key again.
  if (isUnauthorised || status === 402) return new SubgraphError('UNAUTHORISED', { status });
  if (status === 404) return new SubgraphError('NOT_DEPLOYED', { status });
  const kind = status >= 500 ? 'UNREACHABLE' : 'BAD_ANSWER';
  return new SubgraphError(kind, { said: read?.faults[0].upstreamMessage, status, retryAfterMs: wait });
}

const fromBalancer = new Set([502, 503, 504]);

/** The messages of a GraphQL answer; none when it is something else. */
function errorsIn(body: Buffer): string[] {
  try {
    const { errors } = JSON.parse(body.toString()) as { errors: { message: string }[] };
    return errors.map(({ message }) => message);
  } catch {
    return [];
  }
}

/** The error to throw for a failed request or an unusable answer; for an aborted request the signal's reason. */
export function failureOf(error: unknown, { outage, hideKeys }: Reporting): unknown {
  if (error instanceof SubgraphError) return error;
  if (error instanceof HttpFailure) {
    if (error.kind === 'ABORTED') return error.cause;
    const otherwise = error.kind === 'TOO_LARGE' ? 'BAD_ANSWER' : 'UNREACHABLE';
    return new SubgraphError(error.kind === 'TIMEOUT' ? 'TIMEOUT' : otherwise, { cause: error });
  }
  // Log only the message: the library's error has the whole request as a property.
  outage.failed(new Error(hideKeys((error as Error).message)));
  return new SubgraphError('BAD_ANSWER');
}
