import type { IncomingMessage } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { OperationParams } from '../../lib/operation-params.ts';
import type { Context } from '../execution/context.ts';
import { askedBy } from '../execution/context-factory.ts';
import { type Operations, type PreparedOperation, withoutStatus } from './operations.ts';

/** Starts operations whose results go out on an event stream that several operations share. */
export function beginOn(operations: Operations) {
  return async (req: IncomingMessage, params: OperationParams) => {
    const prepared = await operations.prepare(askedBy(req), params);
    if ('errors' in prepared)
      return { errors: prepared.errors.map(withoutStatus), status: statusOf(prepared) };
    return {
      results: {
        payloads: payloads(operations, prepared),
        // Ending the context is what wakes an operation that waits for its next event or for a source.
        end: () => (prepared.contextValue as Context).end(),
      },
    };
  };
}

async function* payloads(operations: Operations, prepared: PreparedOperation): AsyncGenerator<unknown> {
  const performed = await operations.perform(prepared);
  if (Symbol.asyncIterator in performed) for await (const result of performed) yield shown(result);
  else yield shown(performed);
}

const shown = (result: ExecutionResult) =>
  result.errors ? { ...result, errors: result.errors.map(withoutStatus) } : result;

function statusOf({ errors }: { errors: readonly GraphQLError[] }): number {
  const { http } = errors[0]?.extensions ?? {};
  return (http as { status?: number } | undefined)?.status ?? 400;
}
