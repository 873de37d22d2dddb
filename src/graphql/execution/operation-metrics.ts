import { type ExecutionArgs, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** An operation that was executed, as the metrics count it. */
export interface Operation {
  kind: 'query' | 'mutation' | 'subscription';
  outcome: 'ok' | 'errors';
  seconds: number;
}

/** Reports the duration and outcome of each operation. For a subscription that is how it started. */
export function operationMeter(tell: (operation: Operation) => void): Plugin {
  const measure = ({ document, operationName }: ExecutionArgs) => {
    const startedAt = performance.now();
    const kind = getOperationAST(document, operationName)?.operation ?? 'query';
    return (outcome: Operation['outcome']) =>
      tell({ kind, outcome, seconds: (performance.now() - startedAt) / 1000 });
  };
  return {
    onExecute({ args }) {
      const ended = measure(args);
      return {
        onExecuteDone: ({ result }) =>
          ended(!(Symbol.asyncIterator in result) && result.errors ? 'errors' : 'ok'),
      };
    },
    onSubscribe({ args }) {
      const ended = measure(args);
      return {
        onSubscribeResult: ({ result }) => {
          ended(Symbol.asyncIterator in result ? 'ok' : 'errors');
        },
      };
    },
  };
}
