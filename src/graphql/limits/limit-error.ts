import { GraphQLError } from 'graphql';
import type { QueryLimits } from '../../config/config.ts';

export type LimitName = keyof QueryLimits | 'bodyBytes' | 'socketOperations';

/** The variable that moves a limit, so that whoever runs the gateway need not search for it. */
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

/** A request that asks for more than is allowed: which limit, its value, and what was measured. */
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
