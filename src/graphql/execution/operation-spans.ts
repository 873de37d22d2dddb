import type { Span } from '@srr-gateway/common/tracing/span';
import { type DocumentNode, type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { addAttributes, withSpan } from '../../observability/trace.ts';
import { rootFields } from './cacheable-operation.ts';
import type { Context } from './context.ts';

/**
 * Adds spans for each request and its operation. The span of a subscription ends when it has started. Must
 * come after the plugins that replace the executor.
 */
export function operationSpans(): Plugin<Context> {
  return {
    onRequest({ request, url, requestHandler, setRequestHandler }) {
      const { method, headers } = request;
      const span: Span = {
        name: `${method} ${url.pathname}`,
        kind: 'SERVER',
        attributes: { 'http.request.method': method, 'http.route': url.pathname },
        caller: headers.get('traceparent') ?? undefined,
      };
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
  return {
    name: `GraphQL ${kind}`,
    kind: 'INTERNAL',
    attributes: { 'graphql.operation.type': kind, 'srr.fields': fieldsOf(document, operationName) },
  };
}

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
