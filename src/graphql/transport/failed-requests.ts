import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { commonStatuses } from '../../lib/http-error.ts';

const statuses: Record<string, number> = { ...commonStatuses, UNKNOWN_ERROR: 500 };

/**
 * Gives errors without data a status, which GraphQL over HTTP requires under its own media type. Under others the
 * status stays 200, as for an invalid document.
 */
export const failedRequests = (): Plugin => ({
  onExecutionResult({ result }) {
    if (!result || !('errors' in result) || 'data' in result) return;
    for (const { extensions } of result.errors as readonly GraphQLError[])
      extensions.http ??= { spec: true, status: statuses[extensions.code as string] ?? 400 };
  },
});
