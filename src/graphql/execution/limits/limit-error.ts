import { GraphQLError } from 'graphql';
import type { QueryLimits } from '../../../config/config.ts';

export type LimitName = keyof QueryLimits | 'bodyBytes' | 'socketOperations';

/** The variable that sets each limit. The error names it, so that the operator need not search. */
const variables: Record<LimitName, string> = {
  tokens: 'MAX_TOKENS',
  depth: 'MAX_DEPTH',
  aliases: 'MAX_ALIASES',
  directives: 'MAX_DIRECTIVES',
  fragments: 'MAX_FRAGMENTS',
  rootFields: 'MAX_ROOT_FIELDS',
  cost: 'MAX_COST',
  batch: 'MAX_BATCH',
  bodyBytes: 'ANONYMOUS_BODY_MAX_BYTES',
  socketOperations: 'MAX_SOCKET_OPERATIONS',
};

/** The error for a request beyond a limit. It has the limit's name, its value, and what was measured. */
export function limitExceeded(
  limit: LimitName,
  allowed: number,
  measured: number,
  what: string,
  status = 400,
): GraphQLError {
  return new GraphQLError(`${what}; this gateway allows ${allowed} (${variables[limit]}).`, {
    extensions: { code: 'LIMIT_EXCEEDED', limit, allowed, measured, http: { status } },
  });
}
