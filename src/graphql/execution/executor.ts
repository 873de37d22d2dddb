import type { Span } from '@srr-gateway/common/tracing/span';
import { type ExecutionArgs, type ExecutionResult, execute, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { GatewayError } from '../../model/errors.ts';
import { publish } from '../../observability/telemetry.ts';
import { setOutcome, withSpan } from '../../observability/trace.ts';
import type { Context, Handover } from './context.ts';
import { addVariablePaths } from './input-paths.ts';
import { tooLong } from './limits/answer-limit.ts';
import { operationOf, rootFields } from './operation.ts';

export interface ExecutorOptions {
  /** The deadline of a query or mutation, prepared or not. */
  timeoutMs: number;
}

/** Runs each operation within its deadline and its span, and counts it. The last plugin that sets the executor. */
export function executor({ timeoutMs }: ExecutorOptions): Plugin<Context> {
  const observe = <T extends object>(args: ExecutionArgs, run: () => MaybePromise<T>): Promise<T> => {
    const startedAt = performance.now();
    const operation = getOperationAST(args.document, args.operationName);
    const kind = operation?.operation ?? 'query';
    const fields = operation ? rootFields(operationOf(args.schema, args.document, operation)) : [];
    return withSpan(operationSpan(kind, fields), async () => {
      const result = await run();
      // An event stream has no errors of its own.
      const { errors = [] } = result as ExecutionResult;
      addVariablePaths(errors, args);
      const outcome = errors.length > 0 ? 'errors' : 'ok';
      if (outcome === 'errors') setOutcome(outcome);
      publish('operation', { kind, outcome, seconds: (performance.now() - startedAt) / 1000 });
      return result;
    });
  };
  return {
    onExecute({ setExecuteFn }) {
      setExecuteFn((args: ExecutionArgs) =>
        observe(args, async () => {
          const { end, receivedAt } = args.contextValue as Context & Handover;
          // Not Yoga's own helper, which takes any object with a key `then`, such as an alias or a key of a document,
          // for a promise.
          const result = await withDeadline(execute(args), timeoutMs, end, receivedAt);
          const error = tooLong(result.data);
          return error ? { errors: [error] } : result;
        }),
      );
    },
    onSubscribe({ subscribeFn, setSubscribeFn }) {
      setSubscribeFn((args: ExecutionArgs) => observe(args, () => subscribeFn(args)));
    },
  };
}

/**
 * The span of an operation with these root fields. It has the schema's names, because callers choose operation names
 * and aliases.
 */
export const operationSpan = (kind: string, fields: readonly string[]): Span => ({
  name: `GraphQL ${kind}`,
  kind: 'INTERNAL',
  attributes: { 'graphql.operation.type': kind, 'srr.fields': fields.join(' ') },
});

/** Rejects when work takes too long, and cancels what it waits for with `end`. */
async function withDeadline<T>(
  work: MaybePromise<T>,
  timeoutMs: number,
  end: (reason: Error) => void,
  receivedAt = performance.now(),
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const message = `This took longer than the ${timeoutMs / 1000} seconds that a request has (REQUEST_TIMEOUT). Ask for less, or try again.`;
  const leftMs = Math.max(0, timeoutMs - (performance.now() - receivedAt));
  const timer = setTimeout(() => {
    const error = new GatewayError({ code: 'UPSTREAM_TIMEOUT', message });
    reject(error);
    end(error);
  }, leftMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
