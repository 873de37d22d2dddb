import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { GatewayError } from '../../model/errors.ts';
import type { Context, ReadsBefore } from './context.ts';

/**
 * Ends a query or mutation that takes too long: cancels what it waits for, and tells the caller. A caller
 * that leaves cancels it as well, through the signal of its request.
 */
export function deadline(timeoutMs: number): Plugin<Context> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const context = args.contextValue as Context & ReadsBefore;
      // What was spent on a prepared read counts.
      const askedAt = context.askedAt ?? performance.now();
      setExecuteFn((args) => {
        const executed = executeFn(args);
        if (!('then' in executed)) return executed;
        const leftMs = Math.max(0, timeoutMs - (performance.now() - askedAt));
        const { promise, resolve, reject } = Promise.withResolvers<ExecutionResult>();
        const timer = setTimeout(() => {
          const error = tookTooLong(timeoutMs);
          context.end(error);
          reject(error);
        }, leftMs);
        const endWith =
          <T>(settle: (value: T) => void) =>
          (value: T) => {
            clearTimeout(timer);
            settle(value);
          };
        executed.then(endWith(resolve), endWith(reject));
        return promise;
      });
    },
  };
}

/** The error for an operation that took too long. */
export const tookTooLong = (timeoutMs: number) =>
  new GatewayError({
    code: 'UPSTREAM_TIMEOUT',
    message: `This took longer than the ${timeoutMs / 1000} seconds that a request has (REQUEST_TIMEOUT). Ask for less, or try again.`,
  });
