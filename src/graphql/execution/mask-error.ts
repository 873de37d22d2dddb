import { randomUUID } from 'node:crypto';
import { currentContext } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import { GraphQLError } from 'graphql';
import { type VisibleFault, visibleFault } from '../../lib/visible-fault.ts';
import { type Fault, GatewayError } from '../../model/errors.ts';
import { publish } from '../../observability/telemetry.ts';

/** Why an operation ended early: its client closed the connection or completed the operation. */
export class CallerLeft extends Error {
  constructor() {
    super('the caller left');
  }
}

/** Whether an error only means that the caller left: an aborted wait has CallerLeft among its causes. */
function isOfCallerLeft(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof CallerLeft) return true;
  return false;
}

/**
 * Decides what a client sees of an error: a typed error for a fault of its own or of an upstream; for a bug only the
 * id under which it is logged.
 */
export function errorMasker(log: Logger, { introspection }: { introspection: boolean }) {
  return (error: unknown): GraphQLError => {
    const cause = error instanceof GraphQLError ? error.originalError : error;
    // graphql-js' own messages about a document or variable concern the request only, and are safe to show.
    if (error instanceof GraphQLError && (cause === undefined || cause instanceof GraphQLError)) {
      // With introspection off, "Did you mean" would let strangers guess the schema name by name.
      if (!introspection) error.message = error.message.replace(/ Did you mean .*\?$/s, '');
      return withCode(error, 'INVALID_INPUT');
    }
    const { requestId = randomUUID() } = currentContext();
    // The caller left: nobody reads this response, and nothing is wrong.
    if (!(cause instanceof GatewayError) && isOfCallerLeft(cause)) {
      log.debug({ requestId }, 'a caller left before the answer');
      return asGraphQLError(left, error);
    }
    const fault = visibleFault(faultOfRequest(cause) ?? cause, requestId, log, 'a resolver failed');
    if (fault.errorId) publish('ownFailure', {});
    return asGraphQLError(fault, error);
  };
}

/** The typed error for a fault of the request that surfaced as an exception elsewhere. */
function faultOfRequest(cause: unknown): GatewayError | undefined {
  // PostgreSQL's "invalid byte sequence": a text with a NUL reached a comparison, where it could match nothing.
  if (cause instanceof Error && 'code' in cause && cause.code === '22021')
    return invalid('A text of the input has a NUL character, which nothing here can have.');
  // Reading the request ran out of stack.
  if (cause instanceof RangeError && cause.message.includes('call stack'))
    return invalid('The request cannot be read: it is nested too deeply.');
  return undefined;
}

const invalid = (message: string) => new GatewayError({ code: 'INVALID_INPUT', message });

const left: Fault = {
  code: 'UPSTREAM_TIMEOUT',
  message: 'The caller ended the operation before it had an answer.',
};

/** An error for a request that is refused before it is executed. The status counts over HTTP. */
export const refusal = (code: string, message: string, status: number): GraphQLError =>
  new GraphQLError(message, { extensions: { code, http: { status } } });

/** Converts a fault to a GraphQLError, with the location and path of `error` if there is one. */
export function asGraphQLError(fault: VisibleFault, error?: unknown): GraphQLError {
  const { code, path: inputPath, upstreamMessage, cursor, continueAfter, errorId, retryAfter } = fault;
  const details = { code, inputPath, upstreamMessage, cursor, continueAfter, errorId, retryAfter };
  return new GraphQLError(fault.message, {
    ...(error instanceof GraphQLError && locationOf(error)),
    extensions: Object.fromEntries(Object.entries(details).filter(([, value]) => value)),
  });
}

/** Adds a code to an error without one. graphql-js gives most errors none, and clients decide by codes. */
export function withCode(error: GraphQLError, code: string): GraphQLError {
  error.extensions.code ??= code;
  return error;
}

/** The location and path of an error, for a copy of it. */
export const locationOf = ({ nodes, source, positions, path }: GraphQLError) => ({
  nodes,
  source,
  positions,
  path,
});
