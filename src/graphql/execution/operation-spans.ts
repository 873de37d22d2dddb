import type { Span } from '@srr-gateway/common/tracing/span';
import { type DocumentNode, type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { addAttributes, withSpan } from '../../observability/trace.ts';
import type { Context } from './context.ts';
import { rootFields } from './root-fields.ts';

/**
 * Adds spans for each request and its operation. The span of a subscription ends when it has started. Must
 * come after the plugins that replace the executor.
 */
export function operationSpans(): Plugin<Context> {
  return {
    onRequest({ request, url, requestHandler, setRequestHandler }) {
      const { method, headers } = request;
      const span = requestSpan(method, url.pathname, headers.get('traceparent') ?? undefined);
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

function spanOf({ document, operationName }: ExecutionArgs): Span {
  const kind = getOperationAST(document, operationName)?.operation ?? 'query';
  return operationSpan(kind, fieldsOf(document, operationName));
}

/** The span of a request. */
export const requestSpan = (method: string, path: string, caller: string | undefined): Span => ({
  name: `${method} ${path}`,
  kind: 'SERVER',
  attributes: { 'http.request.method': method, 'http.route': path },
  caller,
});

/** The span of an operation with these root fields. */
export const operationSpan = (kind: string, fields: string): Span => ({
  name: `GraphQL ${kind}`,
  kind: 'INTERNAL',
  attributes: { 'graphql.operation.type': kind, 'srr.fields': fields },
});

/** By the schema's field names: operation names and aliases are chosen by callers. */
function fieldsOf(document: DocumentNode, operationName: ExecutionArgs['operationName']): string {
  const operation = getOperationAST(document, operationName);
  return operation ? [...new Set(rootFields(document, operation))].join(' ') : '';
}

function noted<T>(result: T): T {
  const { errors } = result as ExecutionResult;
  if (errors && errors.length > 0) addAttributes({}, 'errors');
  return result;
}
