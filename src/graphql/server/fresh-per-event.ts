import { createSourceEventStream, execute } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../context.ts';

/**
 * Each event of a subscription is executed with loaders of its own: with those of the operation it would
 * be shown what was read for an earlier event. Ending the subscription aborts what it still waits for.
 */
export function freshPerEvent(renew: (context: Context) => Context): Plugin<Context> {
  return {
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(async (args) => {
        const source = await createSourceEventStream(args);
        if (!(Symbol.asyncIterator in source)) return source;
        const context = args.contextValue as Context & { end(): void };
        return mapEvents(source, context, (event) =>
          execute({ ...args, rootValue: event, contextValue: renew(context) }),
        );
      });
    },
  };
}

function mapEvents<Result>(
  source: AsyncIterable<unknown>,
  context: { end(): void },
  map: (event: unknown) => Result | Promise<Result>,
): AsyncGenerator<Result> {
  const iterator = source[Symbol.asyncIterator]();
  const mapped: AsyncGenerator<Result> = {
    next: async () => {
      const { done, value } = await iterator.next();
      return done ? { done, value: undefined } : { done: false, value: await map(value) };
    },
    return: async () => {
      // First the signal: a feed that waits for its next event would not hear of the end.
      context.end();
      await iterator.return?.();
      return { done: true, value: undefined };
    },
    throw: async (error) => {
      context.end();
      await iterator.return?.();
      throw error;
    },
    [Symbol.asyncIterator]: () => mapped,
    [Symbol.asyncDispose]: async () => {
      await mapped.return(undefined);
    },
  };
  return mapped;
}
