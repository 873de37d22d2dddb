import type { IncomingMessage, ServerResponse } from 'node:http';
import { memoize1 } from '@graphql-tools/utils';
import type { Plugin, YogaServerInstance } from 'graphql-yoga';
import { startHeartbeat } from '../../lib/heartbeat.ts';
import { HttpError } from '../../lib/http-error.ts';
import { sendText } from '../../lib/send.ts';
import { addAttributes } from '../../observability/trace.ts';
import { type Context, type Handover, type ServerContext, sourceOf } from '../execution/context.ts';
import {
  type CursoredResult,
  type ResultSink,
  type ResultStream,
  resultCursor,
} from '../execution/per-event-context.ts';
import { privateRead } from './answer-headers.ts';
import { answerTypes, isAnswerable } from './answer-types.ts';
import type { SharedConnectionOptions } from './operation-runner.ts';

/** The headers of every server-sent event stream. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  // A result may contain a secret, which a proxy must not compress.
  'cache-control': `${privateRead}, no-transform`,
  // A proxy that buffers or compresses the response would delay events.
  'content-encoding': 'none',
  'x-accel-buffering': 'no',
};

/** An EventSource waits 3 s by default, which is long for a person who watches. */
const reconnectMs = 1_000;

/** Starts the body of an event stream and its heartbeat. */
export function beginEvents(res: ServerResponse, opening: string): void {
  res.write(opening);
  const heartbeat = startHeartbeat(() => {
    // While the reader does not read, heartbeats would only pile up in memory.
    if (!res.writableNeedDrain && !res.writableEnded) res.write(':\n\n');
  });
  res.once('close', heartbeat.stop);
  // Each operation on the stream adds its own listener while it waits for room.
  res.setMaxListeners(0);
}

/**
 * Sends a message for each result, until the reader leaves or a shutdown ends the stream. Pulls the next result only
 * when the reader has caught up, so that unread events stay at their source.
 */
export async function sendEvents<T>(
  res: ServerResponse,
  results: AsyncIterable<T>,
  messageOf: (result: T) => string | Uint8Array,
): Promise<void> {
  for await (const result of results) {
    if (res.writableEnded) return;
    const { socket } = res;
    // Without cork and uncork, Node would hold the messages of all streams until the end of the turn.
    socket?.cork();
    res.write(messageOf(result));
    socket?.uncork();
    while (res.writableNeedDrain) await roomIn(res);
  }
}

/** Resolves when a response is writable again (another operation may fill it first) or closed. */
function roomIn(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      res.off('drain', settle).off('close', settle);
      resolve();
    };
    res.on('drain', settle).on('close', settle);
  });
}

/**
 * Sends a request through Yoga. A subscription is answered by server-sent events (GraphQL over SSE, distinct
 * connections mode), which are written here: Yoga's own have no `id:`, which an EventSource needs to resume
 * after a lost connection, and pass each event through several layers of web streams.
 */
export async function respond(
  graphql: YogaServerInstance<ServerContext & ResultSink, Context>,
  req: IncomingMessage,
  res: ServerResponse,
  before: Handover,
  admitStream: SharedConnectionOptions['admitStream'],
): Promise<void> {
  // Yoga checks Accept after the execution: a mutation would take effect, but its caller would get a 406.
  if (req.method === 'POST' && !isAnswerable(req.headers.accept)) throw notAcceptable();
  let results: ResultStream | undefined;
  const takeResults = (stream: ResultStream) => {
    results = stream;
  };
  const isAccepted = req.headers.accept?.includes('text/event-stream');
  const context = { ...before, source: sourceOf(req, res), ...(isAccepted && { takeResults }) };
  const response = await graphql.handleNodeRequestAndResponse(req, res, context);
  addAttributes({ 'http.response.status_code': response.status });
  if (res.destroyed) return void (await results?.return?.());
  if (response.status === 406 && !response.body) throw notAcceptable();
  if (!results) return sendWhole(res, response);
  const refusal = admitStream(req, res);
  if (refusal !== undefined) {
    await results.return?.();
    throw new HttpError(429, refusal);
  }
  res.writeHead(response.status, eventStreamHeaders);
  beginEvents(res, `retry: ${reconnectMs}\n\n`);
  sendEvents(res, results, messageOf).then(
    () => res.writableEnded || res.end('event: complete\ndata:\n\n'),
    (error: Error) => res.destroy(error),
  );
}

const notAcceptable = () =>
  new HttpError(406, `No answer has a type of the header Accept. Name one of ${answerTypes.join(', ')}.`);

/** Sends a complete body: a result, an error or a page. */
async function sendWhole(res: ServerResponse, response: Response): Promise<void> {
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  // Yoga sets these for a chunked body. Beside a Content-Length, clients and proxies would refuse the response.
  for (const name of ['content-type', 'content-length', 'transfer-encoding', 'connection'])
    headers.delete(name);
  sendText(res, status, type, await response.text(), [...headers].flat());
}

/** Passes the results of a subscription to the handler of its request. */
export function eventStreams(): Plugin<object, ResultSink> {
  return {
    onResultProcess({ result, serverContext, setResultProcessor }) {
      if (!(Symbol.asyncIterator in result)) return;
      if (serverContext.takeResults) return setResultProcessor((_, { Response }) => new Response(null), '');
      // In another format it would bypass the stream limit, the heartbeat and the drain.
      void (result as ResultStream)[Symbol.asyncIterator]().return?.();
      setResultProcessor(
        (_, { Response }) => Response.json({ errors: [needsEventStream] }, { status: 406 }),
        '',
      );
    },
  };
}

const needsEventStream = {
  message: 'A subscription is answered by an event stream: send "Accept: text/event-stream".',
  extensions: { code: 'INVALID_INPUT' },
};

const encoder = new TextEncoder();
/** Memoized, because subscribers share results. */
const messageOf = memoize1((result: CursoredResult): Uint8Array => {
  const id = result[resultCursor] === undefined ? '' : `id: ${result[resultCursor]}\n`;
  // JSON has no raw line breaks, so one data line holds it.
  return encoder.encode(`event: next\n${id}data: ${JSON.stringify(result)}\n\n`);
});
