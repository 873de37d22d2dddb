import type { Span } from '@srr-gateway/common/tracing/span';
import { type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { addAttributes, requestSpan, withSpan } from '../../observability/trace.ts';
import type { Context } from './context.ts';
import { operationOf, rootFields } from './prepared/collect-fields.ts';

/** An operation that was executed, as the metrics count it. */
export interface Operation {
  kind: 'query' | 'mutation' | 'subscription';
  outcome: 'ok' | 'errors';
  seconds: number;
}

/** Reports the duration and outcome of each operation. For a subscription that is how it started. */
export function operationMeter(report: (operation: Operation) => void): Plugin {
  const begin = (args: ExecutionArgs) => {
    const startedAt = performance.now();
    return (outcome: Operation['outcome']) =>
      report({ kind: kindOf(args), outcome, seconds: (performance.now() - startedAt) / 1000 });
  };
  return {
    onExecute({ args }) {
      const ended = begin(args);
      return {
        onExecuteDone: ({ result }) => ended('errors' in result && result.errors ? 'errors' : 'ok'),
      };
    },
    onSubscribe({ args }) {
      const ended = begin(args);
      return {
        onSubscribeResult: ({ result }) => ended(Symbol.asyncIterator in result ? 'ok' : 'errors'),
      };
    },
  };
}

const kindOf = ({ document, operationName }: ExecutionArgs) =>
  getOperationAST(document, operationName)?.operation ?? 'query';

/**
 * Adds spans for each request and its operation. The span of a subscription ends when it has started. Must
 * come after the plugins that replace the executor.
 */
export function operationSpans(): Plugin<Context> {
  return {
    onRequest({ request, url, requestHandler, setRequestHandler }) {
      const { method, headers } = request;
      const span = requestSpan(method, url.pathname, headers.get('traceparent'));
      setRequestHandler((request, context) =>
        withSpan(span, async () => {
          const response = await requestHandler(request, context);
          addAttributes({ 'http.response.status_code': response.status });
          return response;
        }),
      );
    },
    onExecute({ executeFn, setExecuteFn }) {
      setExecuteFn((args: ExecutionArgs) => withSpan(spanOf(args), async () => noted(await executeFn(args))));
    },
    onSubscribe({ subscribeFn, setSubscribeFn }) {
      setSubscribeFn((args: ExecutionArgs) =>
        withSpan(spanOf(args), async () => noted(await subscribeFn(args))),
      );
    },
  };
}

function spanOf(args: ExecutionArgs): Span {
  const operation = getOperationAST(args.document, args.operationName);
  const fields = operation ? rootFields(operationOf(args.schema, args.document, operation)) : [];
  return operationSpan(kindOf(args), fields);
}

/**
 * The span of an operation with these root fields. By the schema's names: operation names and aliases are
 * chosen by callers.
 */
export const operationSpan = (kind: string, fields: readonly string[]): Span => ({
  name: `GraphQL ${kind}`,
  kind: 'INTERNAL',
  attributes: { 'graphql.operation.type': kind, 'srr.fields': fields.join(' ') },
});

function noted<T>(result: T): T {
  const { errors } = result as ExecutionResult;
  if (errors && errors.length > 0) addAttributes({}, 'errors');
  return result;
}
