import { currentContext, runDetached, runWith } from '@srr-gateway/common/async-context';
import { createSourceEventStream, type ExecutionResult, execute, type GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { encodeCursor } from '../../events/cursor.ts';
import { GatewayError } from '../../model/errors.ts';
import { publish } from '../../observability/telemetry.ts';
import { withSpan } from '../../observability/trace.ts';
import type { EventRow } from '../../store/tables.ts';
import type { Context } from './context.ts';
import { eventCoalescing, subscriptionKey } from './event-coalescing.ts';

/** On a result: the cursor of the event that it shows. A symbol, so that it is not sent as JSON. */
export const resultCursor = Symbol('cursor');
export type CursoredResult = ExecutionResult & { [resultCursor]?: string };

/** The results of a subscription. `return` cancels what the next one waits for. */
export type ResultStream = AsyncIterableIterator<CursoredResult>;

/** Part of the context of a subscription whose results are sent by the handler of its request. */
export interface TakesResults {
  /** What Yoga would wrap around them changes nothing, and costs time for each subscriber and event. */
  takeResults?(results: ResultStream): void;
}

/**
 * Executes each event of a subscription with loaders of its own: shared ones would show what was read for an
 * earlier event. Equal subscriptions share the execution of an event.
 */
export function perEventContext(
  renew: (context: Context, signal: AbortSignal) => Context,
  mask: (error: unknown) => GraphQLError,
): Plugin<Context> {
  const coalesce = eventCoalescing();
  return {
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(async (args) => {
        const source = await createSourceEventStream(args);
        if (!(Symbol.asyncIterator in source)) return source;
        const context = args.contextValue as Context & TakesResults;
        const once = coalesce(subscriptionKey(args), context.signal);
        const stream = resultsOf(source, context, mask, (event) =>
          once(event, async (signal) => {
            const contextValue = renew(context, signal);
            // Detached: it runs for all who share it, and outlives the request that happened to start it.
            const executed = await runDetached(() =>
              withSpan({ name: 'GraphQL event', kind: 'INTERNAL', attributes: {} }, async () =>
                execute({ ...args, rootValue: event, contextValue }),
              ),
            );
            const { errors } = executed;
            const result: CursoredResult = errors ? { ...executed, errors: errors.map(mask) } : executed;
            if (isLogged(event)) {
              result[resultCursor] = encodeCursor(event.issuer, event.cursor);
              publish('eventDelivered', { seconds: (Date.now() - event.received_at.getTime()) / 1000 });
            }
            return result;
          }),
        );
        context.takeResults?.(stream);
        return stream;
      });
    },
  };
}

const isLogged = (event: object): event is EventRow => 'cursor' in event;

/** Reads each event in the context of the subscriber's own work, whoever asks for it and when. */
function resultsOf(
  source: AsyncIterable<unknown>,
  context: Context,
  mask: (error: unknown) => GraphQLError,
  execute: (event: object) => Promise<ExecutionResult>,
): ResultStream {
  const work = currentContext();
  const iterator = source[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<ExecutionResult>> => {
    try {
      const { done, value } = await iterator.next();
      // An event that was already on its way is not executed for a subscriber that has left.
      if (done || context.signal.aborted) return { done: true, value: undefined };
      return { done: false, value: await execute(value as object) };
    } catch (error) {
      // A typed error of the source is sent as the last result. Anything else cuts the stream off.
      const shown = mask(error);
      if (!(error instanceof GatewayError)) throw shown;
      return { done: false, value: { data: null, errors: [shown] } };
    }
  };
  const results: ResultStream = {
    next: () => runWith(work, next),
    return: async () => {
      // Abort first: a feed that waits for its next event would not notice `return`.
      context.end();
      await iterator.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => results,
  };
  return results;
}
