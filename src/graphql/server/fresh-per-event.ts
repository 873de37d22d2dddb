import { createSourceEventStream, type ExecutionResult, execute, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { encodeCursor } from '../../events/cursor.ts';
import type { EventRow } from '../../events/receive.ts';
import { GatewayError } from '../../lib/errors.ts';
import { tell } from '../../lib/telemetry.ts';
import type { Context } from '../context.ts';
import { SharedExecutions } from './shared-executions.ts';
import { subscriptionKey } from './subscription-key.ts';

/** On a result: the place in the log of the event that it shows. No part of what is sent as JSON. */
export const resultCursor = Symbol('cursor');
export type CursoredResult = ExecutionResult & { [resultCursor]?: string };

/**
 * Each event of a subscription is executed with loaders of its own: with those of the operation it would
 * be shown what was read for an earlier event. Subscribers who ask the same share its execution. Ending the
 * subscription aborts what it still waits for.
 */
export function freshPerEvent(renew: (context: Context, signal: AbortSignal) => Context): Plugin<Context> {
  const executions = new SharedExecutions();
  return {
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(async (args) => {
        const source = await createSourceEventStream(args);
        if (!(Symbol.asyncIterator in source)) return source;
        const context = args.contextValue as Context;
        const share = executions.member(subscriptionKey(args), context.signal);
        return mapEvents(source, context, (event) =>
          share(event, async (signal) => {
            const contextValue = renew(context, signal);
            const result: CursoredResult = await execute({ ...args, rootValue: event, contextValue });
            if (isLogged(event)) {
              result[resultCursor] = encodeCursor(event.issuer, event.cursor);
              tell('eventDelivered', { seconds: (Date.now() - event.received_at.getTime()) / 1000 });
            }
            return result;
          }),
        );
      });
    },
  };
}

const isLogged = (event: object): event is EventRow => 'cursor' in event;

function mapEvents(
  source: AsyncIterable<unknown>,
  context: Context,
  map: (event: object) => Promise<ExecutionResult>,
): AsyncGenerator<ExecutionResult> {
  const iterator = source[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<ExecutionResult>> => {
    try {
      const { done, value } = await iterator.next();
      return done ? { done, value: undefined } : { done: false, value: await map(value as object) };
    } catch (error) {
      // What the source has to tell its subscriber is the last thing it hears; anything else cuts it off.
      if (!(error instanceof GatewayError)) throw error;
      const shown = new GraphQLError(error.message, { originalError: error });
      return { done: false, value: { data: null, errors: [shown] } };
    }
  };
  const mapped: AsyncGenerator<ExecutionResult> = {
    next,
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
