import { Readable } from 'node:stream';
import type { ExecutionResult } from 'graphql';
import type { FetchAPI, Plugin } from 'graphql-yoga';
import { currentWork, piecesFor } from '../../lib/work.ts';
import { type CursoredResult, resultCursor, streamOfRequest } from './fresh-per-event.ts';

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
        (stream, fetchAPI) =>
          respond(streamOfRequest(request) ?? (stream as typeof result), request.signal, fetchAPI),
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
  { Response }: FetchAPI,
): Response {
  const body = streamOf(piecesFor(currentWork(), results));
  // A reader that takes nothing must not be given more to hold.
  const beat = setInterval(() => body.readableLength === 0 && body.push(heartbeat), heartbeatMs);
  const stop = () => clearInterval(beat);
  body.once('close', stop);
  // A reader that vanished while its socket was full never asks for more.
  signal.addEventListener('abort', stop);
  body.push(opening);
  // A stream of Node, which costs an event half of what one of the web's does; the types know only those.
  return new Response(body as unknown as BodyInit, { status: 200, headers });
}

function streamOf(iterator: AsyncIterator<ExecutionResult>): Readable {
  let asking = false;
  return new Readable({
    // Called when the socket has taken the last: the rest waits in the log. A heartbeat makes it be called
    // while an event is waited for.
    read() {
      if (asking) return;
      asking = true;
      iterator.next().then(
        ({ done, value }) => {
          asking = false;
          this.push(done ? complete : messageOf(value));
          if (done) this.push(null);
        },
        (error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      Promise.resolve(iterator.return?.()).then(() => callback(error), callback);
    },
  });
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
