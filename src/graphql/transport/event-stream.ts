import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { bindIterable, currentContext } from '@srr-gateway/common/async-context';
import type { ExecutionResult } from 'graphql';
import type { FetchAPI, Plugin } from 'graphql-yoga';
import { eventStreamHeaders, keepAlive, untilDrained } from '../../lib/event-stream.ts';
import { type CursoredResult, resultCursor, streamOfRequest } from '../execution/per-event-context.ts';

/** An EventSource waits 3 s by default, which is long for somebody who watches. */
const reconnectMs = 1_000;

const encoder = new TextEncoder();
const opening = encoder.encode(`retry: ${reconnectMs}\n\n`);
const complete = encoder.encode('event: complete\ndata:\n\n');

/**
 * Subscriptions as server-sent events (GraphQL over SSE, distinct connections mode). Yoga's own events have
 * no `id:`, which an EventSource needs to resume after a lost connection.
 */
export function eventStreams(): Plugin {
  return {
    onResultProcess({ request, result, setResultProcessor }) {
      if (!isStream(result)) return;
      // In another format it would escape the stream limit, the heartbeat and the drain, which look for event
      // streams.
      if (!request.headers.get('accept')?.includes('text/event-stream')) {
        void streamOfRequest(request)?.return(undefined);
        return setResultProcessor((_stream, { Response }) => notAcceptable(Response), 'application/json');
      }
      setResultProcessor(
        (stream, fetchAPI) =>
          respond(streamOfRequest(request) ?? (stream as typeof result), request.signal, fetchAPI),
        'text/event-stream',
      );
    },
  };
}

const notAcceptable = (Response: FetchAPI['Response']) =>
  Response.json(
    {
      errors: [
        {
          message: 'A subscription is answered by an event stream: send "Accept: text/event-stream".',
          extensions: { code: 'INVALID_INPUT' },
        },
      ],
    },
    { status: 406 },
  );

const isStream = (result: unknown): result is AsyncIterable<ExecutionResult> =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result;

function respond(
  results: AsyncIterable<ExecutionResult>,
  signal: AbortSignal,
  { Response }: FetchAPI,
): Response {
  const body = new EventBody(bindIterable(currentContext(), results));
  // A reader that vanished while its socket was full never asks for more, so nothing else would end the
  // stream.
  signal.addEventListener('abort', () => body.destroy());
  // The types allow web streams only. Those would pass each event through several layers.
  return new Response(body as unknown as BodyInit, { status: 200, headers: eventStreamHeaders });
}

/**
 * The body that the server pipes into the response. It writes each message itself, when the socket has taken
 * the last one: the rest waits in the event log, and nothing is buffered in between.
 */
class EventBody extends Readable {
  readonly #results: AsyncIterator<ExecutionResult>;

  constructor(results: AsyncIterator<ExecutionResult>) {
    super();
    this.#results = results;
  }

  override pipe<To extends NodeJS.WritableStream>(to: To): To {
    const response = to as unknown as ServerResponse;
    response.write(opening);
    keepAlive(response);
    this.#send(response).catch((error: Error) => {
      this.destroy();
      response.destroy(error);
    });
    return to;
  }

  async #send(response: ServerResponse): Promise<void> {
    for (;;) {
      const { done, value } = await this.#results.next();
      // The reader has left, or the gateway stops.
      if (this.destroyed || response.writableEnded) return;
      const taken = writeNow(response, done ? complete : messageOf(value));
      if (done) return void response.end();
      if (!taken) await untilDrained(response);
    }
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    Promise.resolve(this.#results.return?.()).then(() => callback(error), callback);
  }
}

/**
 * Writes to the socket at once. Otherwise Node would hold the messages of all subscribers until the end of
 * the turn.
 */
function writeNow(response: ServerResponse, message: Uint8Array): boolean {
  const { socket } = response;
  socket?.cork();
  const taken = response.write(message);
  socket?.uncork();
  return taken;
}

/** Subscribers that share a result share its encoded message too. */
const messages = new WeakMap<ExecutionResult, Uint8Array>();

function messageOf(result: CursoredResult): Uint8Array {
  const known = messages.get(result);
  if (known) return known;
  const id = result[resultCursor] === undefined ? '' : `id: ${result[resultCursor]}\n`;
  // JSON has no raw line breaks, so one data line holds it.
  const message = encoder.encode(`event: next\n${id}data: ${JSON.stringify(result)}\n\n`);
  messages.set(result, message);
  return message;
}
