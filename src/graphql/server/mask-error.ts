import { randomUUID } from 'node:crypto';
import { currentContext } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import { redact } from '@srr-gateway/common/redact';
import { GraphQLError } from 'graphql';
import { databaseUnavailable } from '../../lib/database-unavailable.ts';
import { GatewayError } from '../../model/errors.ts';
import { isOfCallerLeft } from '../caller-left.ts';

/**
 * What a client sees of an error: its own faults and those of the systems behind the gateway, typed;
 * a bug only by the id under which the log has it.
 */
export function errorMasker(log: Logger, { introspection }: { introspection: boolean }) {
  return (error: unknown): GraphQLError => {
    const cause = error instanceof GraphQLError ? error.originalError : error;
    if (cause instanceof GatewayError) return asGraphQLError(cause, error);
    // The engine's own words on a document or variable: about the request, and safe.
    if (error instanceof GraphQLError && (cause === undefined || cause instanceof GraphQLError))
      return withCode(introspection ? error : withoutSuggestion(error), 'INVALID_INPUT');
    if (isUnstorableText(cause)) return asGraphQLError(unstorableText, error);
    if (isUnreadable(cause)) return asGraphQLError(unreadable, error);
    const { requestId = randomUUID() } = currentContext();
    // Nobody reads this answer, and nothing is wrong.
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

/** PostgreSQL's "invalid byte sequence": a text with NUL reached a comparison, and matches nothing anyway. */
const isUnstorableText = (cause: unknown) =>
  cause instanceof Error && 'code' in cause && cause.code === '22021';

const unstorableText = new GatewayError({
  code: 'INVALID_INPUT',
  message: 'A text of the input has a NUL character, which nothing here can have.',
});

/** The request's own nesting exhausted the parser, or its parameters are no JSON. */
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

/** What a request is refused with before it is executed. @throws again what is no fault of the request. */
export function asRequestFault(error: unknown): GraphQLError {
  if (error instanceof GatewayError) return asGraphQLError(error);
  if (error instanceof GraphQLError) return withCode(error, 'INVALID_INPUT');
  throw error;
}

export function asGraphQLError(cause: GatewayError, error?: unknown): GraphQLError {
  const { code, message, path, upstreamMessage, cursor } = cause.faults[0];
  return new GraphQLError(message, {
    ...(error instanceof GraphQLError && placeOf(error)),
    extensions: {
      code,
      ...(path && { inputPath: path }),
      ...(upstreamMessage && { upstreamMessage: redact(upstreamMessage) }),
      ...(cursor && { cursor }),
    },
  });
}

/** The engine gives most of its own words no code, and clients decide by codes. */
export const withCode = (error: GraphQLError, code: string): GraphQLError =>
  error.extensions.code === undefined
    ? new GraphQLError(error.message, { ...placeOf(error), extensions: { ...error.extensions, code } })
    : error;

/** Where the schema may not be read, it must not be guessed name by name either. */
function withoutSuggestion(error: GraphQLError): GraphQLError {
  const message = error.message.replace(/ Did you mean .*\?$/s, '');
  return message === error.message
    ? error
    : new GraphQLError(message, { ...placeOf(error), extensions: error.extensions });
}

const placeOf = ({ nodes, source, positions, path }: GraphQLError) => ({ nodes, source, positions, path });
