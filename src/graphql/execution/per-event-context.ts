import { runDetached } from '@srr-gateway/common/async-context';
import type { Span } from '@srr-gateway/common/tracing/span';
import { createSourceEventStream, type ExecutionResult, execute, type GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { encodeCursor } from '../../events/cursor.ts';
import { GatewayError } from '../../model/errors.ts';
import { publish } from '../../observability/telemetry.ts';
import { withSpan } from '../../observability/trace.ts';
import type { EventRow } from '../../store/tables.ts';
import type { Context } from './context.ts';
import { EventCoalescing, subscriptionKey } from './event-coalescing.ts';

/** On a result: the cursor of the event that it shows. A symbol, so that it is not sent as JSON. */
export const resultCursor = Symbol('cursor');
export type CursoredResult = ExecutionResult & { [resultCursor]?: string };

const streams = new WeakMap<Request, AsyncGenerator<ExecutionResult>>();

/**
 * The result stream of a request's subscription, with its errors masked. What Yoga wraps around it changes
 * nothing, and costs time for each subscriber and event.
 */
export const streamOfRequest = (request: Request): AsyncGenerator<ExecutionResult> | undefined =>
  streams.get(request);

/**
 * Executes each event of a subscription with loaders of its own: shared ones would show what was read for an
 * earlier event. Equal subscriptions share the execution of an event. Ending the subscription aborts what it
 * still waits for.
 */
export function perEventContext(
  renew: (context: Context, signal: AbortSignal) => Context,
  mask: (error: unknown) => Error,
): Plugin<Context> {
  const coalescing = new EventCoalescing();
  return {
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(async (args) => {
        const source = await createSourceEventStream(args);
        if (!(Symbol.asyncIterator in source)) return source;
        const context = args.contextValue as Context & { request?: Request };
        const shared = coalescing.subscription(subscriptionKey(args), context.signal);
        const stream = mapEvents(source, context, mask, (event) =>
          shared(event, async (signal) => {
            const contextValue = renew(context, signal);
            // Detached: it runs for all who share it, and outlives the request that happened to start it.
            const executed = await runDetached(() =>
              withSpan(eventSpan, async () => execute({ ...args, rootValue: event, contextValue })),
            );
            const result = masked(executed, mask);
            if (isLogged(event)) {
              result[resultCursor] = encodeCursor(event.issuer, event.cursor);
              publish('eventDelivered', { seconds: (Date.now() - event.received_at.getTime()) / 1000 });
            }
            return result;
          }),
        );
        if (context.request) streams.set(context.request, stream);
        return stream;
      });
    },
  };
}

const eventSpan: Span = { name: 'GraphQL event', kind: 'INTERNAL', attributes: {} };

const masked = (result: ExecutionResult, mask: (error: unknown) => Error): CursoredResult =>
  result.errors ? { ...result, errors: result.errors.map((error) => mask(error) as GraphQLError) } : result;

const isLogged = (event: object): event is EventRow => 'cursor' in event;

function mapEvents(
  source: AsyncIterable<unknown>,
  context: Context,
  mask: (error: unknown) => Error,
  map: (event: object) => Promise<ExecutionResult>,
): AsyncGenerator<ExecutionResult> {
  const iterator = source[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<ExecutionResult>> => {
    try {
      const { done, value } = await iterator.next();
      // An event that was already on its way is not executed for a subscriber that has left.
      if (done || context.signal.aborted) return { done: true, value: undefined };
      return { done: false, value: await map(value as object) };
    } catch (error) {
      // A typed error of the source is sent as the last result. Anything else cuts the stream off.
      const shown = mask(error) as GraphQLError;
      if (!(error instanceof GatewayError)) throw shown;
      return { done: false, value: { data: null, errors: [shown] } };
    }
  };
  const mapped: AsyncGenerator<ExecutionResult> = {
    next,
    return: async () => {
      // Abort first: a feed that waits for its next event would not notice `return`.
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
