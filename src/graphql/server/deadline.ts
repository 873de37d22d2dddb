import type { Plugin } from 'graphql-yoga';
import { GatewayError } from '../../lib/errors.ts';
import type { Context } from '../context.ts';
import type { PendingContext } from './pending-answer.ts';

/**
 * Ends a query or mutation that takes too long: what it waits for is cancelled, and the caller told. A
 * caller that leaves cancels it as well, by the signal of its request.
 */
export function deadline(timeoutMs: number): Plugin<Context> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const context = args.contextValue as Context & PendingContext;
      setExecuteFn(async (args) => {
        const leftMs = Math.max(0, timeoutMs - (context.pending?.waitedMs ?? 0));
        const late = Promise.withResolvers<never>();
        const timer = setTimeout(() => {
          const error = tookTooLong(timeoutMs);
          context.end(error);
          late.reject(error);
        }, leftMs);
        try {
          return await Promise.race([executeFn(args), late.promise]);
        } finally {
          clearTimeout(timer);
        }
      });
    },
  };
}

const tookTooLong = (timeoutMs: number) =>
  new GatewayError({
    code: 'UPSTREAM_TIMEOUT',
    message: `This took longer than the ${timeoutMs / 1000} seconds that a request has (REQUEST_TIMEOUT). Ask for less, or try again.`,
  });
