import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MessageType, type SubscribeMessage, validateMessage } from 'graphql-ws';
import { HttpError } from '../../lib/http-error.ts';
import { readBody, textOf } from '../../lib/read-body.ts';
import { sendJson, sendText } from '../../lib/send.ts';
import { sourceOf } from '../execution/context.ts';
import { beginEvents, eventStreamHeaders, sendEvents } from './event-stream.ts';
import type { PrepareOperation, SharedConnectionOptions } from './operation-runner.ts';

/** Operations are a few KB of text, as on a socket. */
const maxBodyBytes = 1_000_000;
/** Enough for a UUID. Every message repeats the id, so it must be short. */
const maxIdLength = 128;
/** A client opens a stream right after reserving it, so an unopened one is dropped after this time. */
const reservedMs = 30_000;
/** Before the stream is open nobody reads the results, so only few and small operations may start. */
const early = { operations: 2, bodyBytes: 20_000 };
/** Maximum of reserved, unopened streams of all callers together. Each takes a few hundred bytes. */
const maxReservedStreams = 10_000;

/**
 * GraphQL over SSE, single connection mode: `PUT` reserves an event stream and returns its token, `GET` opens it,
 * each `POST` starts an operation whose results arrive on the stream, `DELETE` stops one. A stream exists in one
 * replica only. graphql-sse's own handler never drops a reservation, queues unread results without bound, runs
 * operations before the stream is open, and lets one failed operation end the whole stream.
 */
export function singleConnection(
  prepare: PrepareOperation,
  { log, maxOperations, admitStream }: SharedConnectionOptions,
  { maxReserved = maxReservedStreams, forMs = reservedMs } = {},
) {
  const streams = new Map<string, OperationStream>();
  const unopened = new Set<OperationStream>();

  const reserve = (req: IncomingMessage, res: ServerResponse) => {
    if (unopened.size >= maxReserved)
      throw new HttpError(429, 'Too many event streams are reserved and not open. Try again soon.');
    const token = randomUUID();
    const stream = new OperationStream();
    const refusal = admitStream(req, stream);
    if (refusal !== undefined) throw new HttpError(429, refusal);
    streams.set(token, stream);
    unopened.add(stream);
    stream.once('close', () => {
      streams.delete(token);
      unopened.delete(stream);
    });
    setTimeout(() => stream.isOpen || stream.close(), forMs).unref();
    sendText(res, 201, 'text/plain; charset=utf-8', token, ['cache-control', 'no-store']);
  };

  const open = (stream: OperationStream, req: IncomingMessage, res: ServerResponse) => {
    if (!req.headers.accept?.includes('text/event-stream'))
      throw new HttpError(406, 'To open an event stream, send "Accept: text/event-stream".');
    if (stream.isOpen) throw new HttpError(409, 'This event stream is open already. Reserve another.');
    unopened.delete(stream);
    stream.open(res);
  };

  const start = async (stream: OperationStream, req: IncomingMessage, res: ServerResponse) => {
    if (!/^application\/([\w.-]+\+)?json\b/i.test(req.headers['content-type'] ?? ''))
      throw new HttpError(415, 'Send the operation as application/json.');
    const body = await readBody(req, stream.isOpen ? maxBodyBytes : early.bodyBytes);
    const { id, params } = readOperation(textOf(body));
    const { size } = stream.operations;
    if (stream.operations.has(id))
      throw new HttpError(409, `The operation ${id} is under way. Give each an id of its own.`);
    const [max, why] = stream.isOpen
      ? [maxOperations, 'MAX_SOCKET_OPERATIONS']
      : [early.operations, 'as long as it is not open'];
    if (size >= max) {
      const message = `This event stream has ${size} operations under way, and may have ${max} (${why}). End one of them.`;
      const details = { limit: 'socketOperations', allowed: max, measured: size + 1 };
      throw new HttpError(400, message, {}, 'LIMIT_EXCEEDED', details);
    }
    const operation = stream.begin(id);
    const prepared = await prepare(sourceOf(req), params);
    if ('status' in prepared) {
      operation.abort();
      sendJson(res, prepared.status, { errors: prepared.errors });
    } else {
      res.writeHead(202).end();
      stream
        .send(id, operation, prepared.results)
        .catch((error: unknown) => log.error({ err: error }, 'an operation failed'))
        .finally(() => operation.abort());
    }
  };

  return {
    /** Whether a request to the GraphQL endpoint belongs to the single connection mode. */
    owns: (req: IncomingMessage, url: URL): boolean =>
      req.method === 'PUT' || req.method === 'DELETE' || tokenOf(url, req) !== undefined,
    async handle(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
      if (req.method === 'PUT') return reserve(req, res);
      const stream = streams.get(tokenOf(url, req) ?? '');
      if (!stream)
        throw new HttpError(404, 'This replica has no event stream with this token. Reserve one with PUT.');
      if (req.method === 'GET') return open(stream, req, res);
      if (req.method === 'POST') return start(stream, req, res);
      const allow = 'PUT, GET, POST, DELETE';
      if (req.method !== 'DELETE') throw new HttpError(405, `An event stream takes ${allow}.`, { allow });
      const id = url.searchParams.get('operationId');
      if (!id) throw new HttpError(400, 'operationId must name the operation that is to end.');
      stream.operations.get(id)?.abort();
      res.writeHead(200).end();
    },
  };
}

const tokenOf = (url: URL, { headers }: IncomingMessage): string | undefined =>
  headers['x-graphql-event-stream-token']?.toString() ?? url.searchParams.get('token') ?? undefined;

/** @throws HttpError 400 unless the body is an operation with an id. */
function readOperation(body: string): { id: string; params: SubscribeMessage['payload'] } {
  try {
    const params = JSON.parse(body);
    // A socket message has its id beside the payload.
    validateMessage({ type: MessageType.Subscribe, id: 'operation', payload: params });
    const id: unknown = params.extensions?.operationId;
    if (typeof id === 'string' && id !== '' && id.length <= maxIdLength) return { id, params };
    throw new Error(`extensions.operationId must name it, in ${maxIdLength} characters at most`);
  } catch (error) {
    throw new HttpError(400, `The body is no operation: ${(error as Error).message}.`);
  }
}

/**
 * One client's event stream, with the results of all its operations. It is reserved, then opened once. Emits `close`
 * when its reader has left or did not open it in time.
 */
export class OperationStream extends EventEmitter {
  /** Keyed by the client's ids. An operation that ends or is stopped is aborted, and frees its id. */
  readonly operations = new Map<string, AbortController>();
  readonly #response = Promise.withResolvers<ServerResponse>();
  #state: 'reserved' | 'open' | 'closed' = 'reserved';

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  open(res: ServerResponse): void {
    this.#state = 'open';
    res.writeHead(200, eventStreamHeaders).once('close', () => this.close());
    beginEvents(res, ':\n\n');
    this.#response.resolve(res);
  }

  /** Reserves the id of an operation before it is prepared. */
  begin(id: string): AbortController {
    const operation = new AbortController();
    this.operations.set(id, operation);
    operation.signal.addEventListener('abort', () => this.operations.delete(id));
    // The client left while its request was read.
    if (this.#state === 'closed') operation.abort();
    return operation;
  }

  /** Sends the results once the stream is open. */
  async send(id: string, { signal }: AbortController, results: AsyncGenerator<unknown>): Promise<void> {
    if (signal.aborted) return;
    // The loop that reads them reports a failure.
    signal.addEventListener('abort', () => results.return(undefined).catch(() => {}));
    const res = await this.#response.promise;
    await sendEvents(res, results, (payload) => message('next', { id, payload }));
    if (!signal.aborted && !res.writableEnded) res.write(message('complete', { id }));
  }

  close(): void {
    this.#state = 'closed';
    for (const operation of this.operations.values()) operation.abort();
    this.emit('close');
  }
}

/** JSON has no raw line breaks, so one data line holds it. */
const message = (event: 'next' | 'complete', data: object) =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
