import { memoize1 } from '@graphql-tools/utils';
import { currentContext, runDetached, runWith } from '@srr-gateway/common/async-context';
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  Kind,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Caller } from '../../access/caller.ts';
import { encodeCursor } from '../../events/cursor.ts';
import { createRunsByObject } from '../../lib/single-flight.ts';
import { GatewayError } from '../../model/errors.ts';
import { publish } from '../../observability/telemetry.ts';
import { withSpan } from '../../observability/trace.ts';
import type { EventRow } from '../../store/tables.ts';
import type { Context } from './context.ts';

/** Key of a result's cursor, that of its event. A symbol, so that it is not sent as JSON. */
export const resultCursor = Symbol('cursor');
export type CursoredResult = ExecutionResult & { [resultCursor]?: string };

/** The results of a subscription. `return` cancels what the next one waits for. */
export type ResultStream = AsyncIterableIterator<CursoredResult>;

/** Part of the context of a subscription whose results are sent by the handler of its request. */
export interface ResultSink {
  /** Bypasses Yoga's wrappers, which change nothing and cost time for each subscriber and event. */
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
  const runs = createRunsByObject<ExecutionResult>();
  return {
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(async (args) => {
        const since = Date.now();
        const source = await createSourceEventStream(args);
        if (!(Symbol.asyncIterator in source)) return source;
        const context = args.contextValue as Context & ResultSink;
        const once = runs.member(subscriptionKey(args), context.signal);
        const stream = resultsOf(source, context, mask, (event) =>
          once(event, async (signal) => {
            const contextValue = renew(context, signal);
            // Detached: it runs for all subscribers that share it, and may outlive the request that started it.
            const executed = await runDetached(() =>
              withSpan({ name: 'GraphQL event', kind: 'INTERNAL', attributes: {} }, async () =>
                execute({ ...args, rootValue: event, contextValue }),
              ),
            );
            const { errors } = executed;
            const result: CursoredResult = errors ? { ...executed, errors: errors.map(mask) } : executed;
            if (isLogged(event)) {
              result[resultCursor] = encodeCursor(event.issuer, event.cursor);
              measure(event.received_at.getTime(), since);
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

/** Measures the delay of a live event. A replayed one is as old as its subscriber was away. */
function measure(receivedAt: number, since: number): void {
  if (receivedAt >= since) publish('eventDelivered', { seconds: (Date.now() - receivedAt) / 1000 });
}

const isLogged = (event: object): event is EventRow => 'cursor' in event;

/**
 * The results of a subscription. Each event is read in the subscriber's async context, not in that of whoever calls
 * `next`.
 */
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
      const masked = mask(error);
      if (!(error instanceof GatewayError)) throw masked;
      return { done: false, value: { data: null, errors: [masked] } };
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

let nextNumber = 0;
const numberedDocument = memoize1((document: DocumentNode) => ({
  number: nextNumber++,
  resuming: resumeVariables(document),
}));

/**
 * Subscriptions with the same key get the same result for the same event: they have the same document (Yoga
 * parses a text once), caller and languages, and their variables differ at most in where they resume.
 */
export function subscriptionKey({ document, operationName, variableValues, contextValue }: ExecutionArgs) {
  const { caller, languages } = contextValue as Context;
  const { number, resuming } = numberedDocument(document);
  const variables = Object.entries(variableValues ?? {}).filter(([name]) => !resuming.has(name));
  return JSON.stringify([number, operationName, variables, languages, ...identityOf(caller)]);
}

const identityOf = (caller: Caller) =>
  caller.kind === 'anonymous'
    ? [caller.kind]
    : [caller.issuer, [...caller.scopes].toSorted(), caller.credentials.apiKey];

/** Variables that are used only as "after" of a subscription's root field. */
function resumeVariables(document: DocumentNode): Set<string> {
  const uses = new Map<string, number>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void uses.set(name.value, (uses.get(name.value) ?? 0) + 1),
  });
  const fields = document.definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION && one.operation === 'subscription'
      ? one.selectionSet.selections
      : [],
  );
  const args = fields.flatMap((field) => (field.kind === Kind.FIELD && field.arguments) || []);
  const resuming = args.flatMap(({ name, value }) =>
    name.value === 'after' && value.kind === Kind.VARIABLE ? value.name.value : [],
  );
  return new Set(resuming.filter((name) => uses.get(name) === 1));
}
