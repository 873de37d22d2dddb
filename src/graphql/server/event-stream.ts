import type { ExecutionResult } from 'graphql';
import type { FetchAPI, Plugin } from 'graphql-yoga';
import { type CursoredResult, resultCursor } from './fresh-per-event.ts';

/** Proxies cut a silent connection after 30 to 60 s. */
const heartbeatMs = 12_000;
/** EventSources wait 3 s by themselves: long, to somebody who watches. */
const reconnectMs = 1_000;

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  // A proxy that collects or compresses an answer holds its events back.
  'content-encoding': 'none',
  'x-accel-buffering': 'no',
};

const encoder = new TextEncoder();
const heartbeat = encoder.encode(':\n\n');
const opening = encoder.encode(`retry: ${reconnectMs}\n\n`);
const complete = encoder.encode('event: complete\ndata:\n\n');

/**
 * Subscriptions as server-sent events (GraphQL over SSE, distinct connections). Yoga's own would do, but that
 * its events have no `id:`, which is what an EventSource comes back with after a lost connection.
 */
export function eventStreams(): Plugin {
  return {
    onResultProcess({ request, result, setResultProcessor }) {
      if (!isStream(result) || !request.headers.get('accept')?.includes('text/event-stream')) return;
      setResultProcessor(
        (stream, fetchAPI) => respond(stream as typeof result, request.signal, fetchAPI),
        'text/event-stream',
      );
    },
  };
}

const isStream = (result: unknown): result is AsyncIterable<ExecutionResult> =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result;

function respond(
  results: AsyncIterable<ExecutionResult>,
  signal: AbortSignal,
  { ReadableStream, Response }: FetchAPI,
): Response {
  const iterator = results[Symbol.asyncIterator]();
  let beat: NodeJS.Timeout | undefined;
  // A reader that vanished while its socket was full never asks for more.
  signal.addEventListener('abort', () => clearInterval(beat));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(opening);
      beat = setInterval(() => {
        // A reader that takes nothing must not be given more to hold.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(heartbeat);
      }, heartbeatMs);
    },
    // Asked for one at a time, when the socket has taken the last: the rest waits in the log.
    async pull(controller) {
      try {
        const { done, value } = await iterator.next();
        if (!done) return controller.enqueue(messageOf(value));
        clearInterval(beat);
        controller.enqueue(complete);
        controller.close();
      } catch (error) {
        clearInterval(beat);
        controller.error(error);
      }
    },
    async cancel() {
      clearInterval(beat);
      await iterator.return?.();
    },
  });
  return new Response(body, { status: 200, headers });
}

/** Subscribers who share a result share its text too. */
const messages = new WeakMap<ExecutionResult, Uint8Array>();

function messageOf(result: CursoredResult): Uint8Array {
  const known = messages.get(result);
  if (known) return known;
  const id = result[resultCursor] === undefined ? '' : `id: ${result[resultCursor]}\n`;
  // JSON has no line breaks of its own, so that one data line holds it.
  const message = encoder.encode(`event: next\n${id}data: ${JSON.stringify(result)}\n\n`);
  messages.set(result, message);
  return message;
}
