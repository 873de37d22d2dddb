import { channel } from 'node:diagnostics_channel';
import { currentContext, runWith } from '@srr-gateway/common/async-context';
import type { Attributes, Span } from '@srr-gateway/common/tracing/span';
import { GatewayError } from '../model/errors.ts';

// Diagnostics channels, as for metrics. Usually they have no subscribers.
const begins = channel('srr-gateway:span-begins');
const ended = channel('srr-gateway:span-ended');

/** Runs `run` in a span of the current trace, or of a new one. Without tracing it just runs it. */
export function withSpan<T>(options: Span, run: () => Promise<T>): Promise<T> {
  if (!begins.hasSubscribers) return run();
  const work = currentContext();
  const span: Span = { ...options, attributes: { ...options.attributes }, within: work.span };
  begins.publish(span);
  return runWith({ ...work, span }, async () => {
    try {
      return await run();
    } catch (error) {
      span.outcome ??= outcomeOf(error);
      throw error;
    } finally {
      ended.publish(span);
    }
  });
}

/** The span of an HTTP request. Continues the caller's trace, if it has one. */
export const requestSpan = (method: string, route: string, traceparent: unknown): Span => ({
  name: `${method} ${route}`,
  kind: 'SERVER',
  attributes: { 'http.request.method': method, 'http.route': route },
  caller: typeof traceparent === 'string' ? traceparent : undefined,
});

/** Adds attributes to the current span, if there is one. */
export function addAttributes(attributes: Attributes): void {
  const { span } = currentContext();
  if (span) Object.assign(span.attributes, attributes);
}

/** Sets the outcome of the current span, if there is one. */
export function setOutcome(outcome: string): void {
  const { span } = currentContext();
  if (span) span.outcome = outcome;
}

function outcomeOf(error: unknown): string {
  if (error instanceof GatewayError) return error.code;
  return error instanceof Error ? error.name : 'Error';
}

/** Receives spans when they begin and when they have ended. */
export interface SpanListener {
  begins(span: Span): void;
  ended(span: Span): void;
}

/** Calls the listener for all spans until the returned function is called. */
export function onSpans(listener: SpanListener): () => void {
  const onBegin = (span: unknown) => listener.begins(span as Span);
  const onEnd = (span: unknown) => listener.ended(span as Span);
  begins.subscribe(onBegin);
  ended.subscribe(onEnd);
  return () => {
    begins.unsubscribe(onBegin);
    ended.unsubscribe(onEnd);
  };
}
