import type { IncomingMessage, ServerResponse } from 'node:http';
import { bindIterable, currentContext } from '@srr-gateway/common/async-context';
import type { ExecutionResult } from 'graphql';
import type { FetchAPI, Plugin, YogaServerInstance } from 'graphql-yoga';
import type { Context } from '../execution/context.ts';
import type { ReadsBefore } from '../execution/context-factory.ts';
import { type CursoredResult, resultCursor, streamOfRequest } from '../execution/per-event-context.ts';
import { EventStream, eventStreamHeaders } from './event-stream.ts';

type Results = AsyncIterableIterator<CursoredResult>;

/** Part of Yoga's server context for a request that accepts an event stream. */
export interface EventStreamContext {
  /** As Yoga's own listener sets it: the operation's context is made from it. */
  req?: IncomingMessage;
  /** Takes the results of the request's subscription, which Yoga then does not send. */
  takeResults?(results: Results): void;
}

/** An EventSource waits 3 s by default, which is long for somebody who watches. */
const reconnectMs = 1_000;

/**
 * Sends a request through Yoga. A subscription is answered by server-sent events (GraphQL over SSE, distinct
 * connections mode), which are written here: Yoga's own have no `id:`, which an EventSource needs to resume
 * after a lost connection, and pass each event through several layers of web streams.
 */
export async function respond(
  graphql: YogaServerInstance<ReadsBefore & EventStreamContext, Context>,
  req: IncomingMessage,
  res: ServerResponse,
  context: ReadsBefore,
): Promise<void> {
  if (!req.headers.accept?.includes('text/event-stream')) return void (await graphql(req, res, context));
  let results: Results | undefined;
  const response = await graphql.handleNodeRequestAndResponse(req, res, {
    ...context,
    req,
    takeResults: (taken: Results) => {
      results = taken;
    },
  });
  if (res.destroyed) return void (await results?.return?.());
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (results) void sendResults(res, results);
  // Every other body is complete by now: a result, an error or a page.
  else res.end(await response.text());
}

/** Hands the results of subscriptions to the handler of their request. */
export function eventStreams(): Plugin<object, EventStreamContext> {
  return {
    onResultProcess({ request, result, serverContext, setResultProcessor }) {
      if (!isStream(result)) return;
      const { takeResults } = serverContext;
      const results = streamOfRequest(request) ?? (result as AsyncIterable<ExecutionResult>);
      // In another format it would escape the stream limit, the heartbeat and the drain, which look for event
      // streams.
      if (!takeResults) {
        void results[Symbol.asyncIterator]().return?.();
        return setResultProcessor((_result, { Response }) => notAcceptable(Response), 'application/json');
      }
      takeResults(bindIterable(currentContext(), results));
      setResultProcessor(
        (_result, { Response }) => new Response(null, { headers: eventStreamHeaders }),
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

const isStream = (result: object): result is AsyncIterable<ExecutionResult> => Symbol.asyncIterator in result;

async function sendResults(res: ServerResponse, results: Results): Promise<void> {
  const stream = new EventStream(res, `retry: ${reconnectMs}\n\n`);
  // A reader that vanished while its socket was full never asks for more, so nothing else would end the
  // subscription.
  res.once('close', () => void results.return?.().catch(() => {}));
  try {
    for await (const result of results) {
      if (stream.isClosed) return;
      const caughtUp = stream.send(messageOf(result));
      if (caughtUp) await caughtUp;
    }
    stream.end('event: complete\ndata:\n\n');
  } catch (error) {
    res.destroy(error as Error);
  }
}

const encoder = new TextEncoder();
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
