import { randomUUID } from 'node:crypto';
import { currentContext } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import { redact } from '@srr-gateway/common/redact';
import { GraphQLError } from 'graphql';
import { databaseUnavailable } from '../../lib/database-unavailable.ts';
import { GatewayError } from '../../model/errors.ts';

/**
 * Why an operation ended early: its client closed the connection or completed the
 * operation.
 */
export class CallerLeft extends Error {
  constructor() {
    super('the caller left');
  }
}

/** Whether an error only means that the caller left: a wait that was cut short has that among its causes. */
function isOfCallerLeft(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof CallerLeft) return true;
  return false;
}

/**
 * Decides what a client sees of an error: typed errors for its own faults and those of upstream systems; for
 * a bug only the id under which the log has it.
 */
export function errorMasker(log: Logger, { introspection }: { introspection: boolean }) {
  return (error: unknown): GraphQLError => {
    const cause = error instanceof GraphQLError ? error.originalError : error;
    if (cause instanceof GatewayError) return asGraphQLError(cause, error);
    // graphql-js' own messages about a document or variable concern the request only, and are safe to show.
    if (error instanceof GraphQLError && (cause === undefined || cause instanceof GraphQLError))
      return withCode(introspection ? error : withoutSuggestion(error), 'INVALID_INPUT');
    if (isUnstorableText(cause)) return asGraphQLError(unstorableText, error);
    if (isUnreadable(cause)) return asGraphQLError(unreadable, error);
    const { requestId = randomUUID() } = currentContext();
    // Nobody reads this response, and nothing is wrong.
    if (isOfCallerLeft(cause)) {
      log.debug({ requestId }, 'a caller left before the answer');
      return asGraphQLError(left, error);
    }
    log.error({ err: cause ?? error, requestId }, 'a resolver failed');
    const away = databaseUnavailable(cause);
    if (away) return asGraphQLError(away, error);
    return new GraphQLError('The gateway failed. Its log has the cause under this errorId.', {
      ...(error instanceof GraphQLError && placeOf(error)),
      extensions: { code: 'UNKNOWN_ERROR', errorId: requestId },
    });
  };
}

/**
 * PostgreSQL's "invalid byte sequence": a text with NUL reached a comparison, and would match nothing anyway.
 */
const isUnstorableText = (cause: unknown) =>
  cause instanceof Error && 'code' in cause && cause.code === '22021';

const unstorableText = new GatewayError({
  code: 'INVALID_INPUT',
  message: 'A text of the input has a NUL character, which nothing here can have.',
});

/** The request is nested so deeply that the parser ran out of stack, or its parameters are not JSON. */
const isUnreadable = (cause: unknown) =>
  cause instanceof SyntaxError || (cause instanceof RangeError && cause.message.includes('call stack'));

const unreadable = new GatewayError({
  code: 'INVALID_INPUT',
  message: 'The request cannot be read: it is nested too deeply, or its variables are no JSON.',
});

const left = new GatewayError({
  code: 'UPSTREAM_TIMEOUT',
  message: 'The operation was ended by its caller before it had an answer.',
});

/**
 * The error for a request that is refused before it is executed.
 * @throws what is not the request's fault, unchanged
 */
export function asRequestFault(error: unknown): GraphQLError {
  if (error instanceof GatewayError) return asGraphQLError(error);
  if (error instanceof GraphQLError) return withCode(error, 'INVALID_INPUT');
  throw error;
}

/** An error for a request that is refused before it is executed. The status counts over HTTP. */
export const refusal = (code: string, message: string, status?: number): GraphQLError =>
  new GraphQLError(message, { extensions: { code, ...(status !== undefined && { http: { status } }) } });

/**
 * A typed error in GraphQL's form: the first fault with its code, and the place of `error` if there is one.
 */
export function asGraphQLError(cause: GatewayError, error?: unknown): GraphQLError {
  const { code, message, path, upstreamMessage, cursor, continueAfter } = cause.faults[0];
  return new GraphQLError(message, {
    ...(error instanceof GraphQLError && placeOf(error)),
    extensions: {
      code,
      ...(path && { inputPath: path }),
      ...(upstreamMessage && { upstreamMessage: redact(upstreamMessage) }),
      ...(cursor && { cursor }),
      ...(continueAfter && { continueAfter }),
    },
  });
}

/** Adds a code to an error without one. graphql-js gives most errors none, and clients decide by codes. */
export const withCode = (error: GraphQLError, code: string): GraphQLError =>
  error.extensions.code === undefined
    ? new GraphQLError(error.message, { ...placeOf(error), extensions: { ...error.extensions, code } })
    : error;

/** With introspection off, "Did you mean" would let strangers guess the schema name by name. */
function withoutSuggestion(error: GraphQLError): GraphQLError {
  const message = error.message.replace(/ Did you mean .*\?$/s, '');
  return message === error.message
    ? error
    : new GraphQLError(message, { ...placeOf(error), extensions: error.extensions });
}

/** Where an error is in the document and in the answer, for a copy of it. */
export const placeOf = ({ nodes, source, positions, path }: GraphQLError) => ({
  nodes,
  source,
  positions,
  path,
});
