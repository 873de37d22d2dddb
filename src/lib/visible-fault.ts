import type { Logger } from '@srr-gateway/common/log';
import { redact } from '@srr-gateway/common/redact';
import { type Fault, GatewayError, UpstreamError } from '../model/errors.ts';
import { databaseUnavailable } from './database-unavailable.ts';

/** A fault as clients see it. A bug has an `errorId` only. */
export type VisibleFault = Fault & { errorId?: string; retryAfter?: number };

/** The gateway itself asks an upstream again within a minute, whatever that said. */
const longestWaitSeconds = 60;

/**
 * The part of a failure that a client sees: the first fault of a typed error; for a bug only the id under which it is
 * logged.
 */
export function visibleFault(failure: unknown, requestId: string, log: Logger, what: string): VisibleFault {
  if (failure instanceof GatewayError) return firstFault(failure);
  const unavailable = databaseUnavailable(failure);
  if (unavailable) {
    // Every request fails like this while the database is unavailable, so each has one line without a stack.
    const { message } = failure as Error;
    log.error({ requestId, reason: message }, `${what}: the database cannot be reached`);
    return firstFault(unavailable);
  }
  log.error({ err: failure, requestId }, what);
  const message = 'The gateway failed. Its log has the cause under this errorId.';
  return { code: 'UNKNOWN_ERROR', message, errorId: requestId };
}

/** The first fault of a typed error. The upstream's message is redacted: it may quote a secret of the request. */
export function firstFault(error: GatewayError): VisibleFault {
  const [fault] = error.faults;
  const { code, upstreamMessage } = fault;
  const waitMs = error instanceof UpstreamError && code === 'RATE_LIMITED' ? error.retryAfterMs : undefined;
  return {
    ...fault,
    ...(upstreamMessage && { upstreamMessage: redact(upstreamMessage) }),
    ...(waitMs !== undefined && { retryAfter: Math.min(Math.ceil(waitMs / 1000), longestWaitSeconds) }),
  };
}
