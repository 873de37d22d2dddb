import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { runWith } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import type { GraphQLError } from 'graphql';
import { HttpError } from '../../lib/http-error.ts';
import type { OperationParams } from '../../lib/operation-params.ts';
import { readBody } from '../../lib/read-body.ts';
import { requestIdOf } from '../../lib/request-id.ts';
import { askedBy } from '../execution/context-factory.ts';
import { EventStream, eventStreamHeaders } from './event-stream.ts';
import { type OperationRunner, withoutStatus } from './operation-runner.ts';

/** The limits of the single connection mode, and its log. */
export interface SingleConnectionOptions {
  log: Logger;
  /** Operations that one open stream may have under way. */
  maxOperations: number;
  /**
   * Counts a reserved stream until `end` emits `close`. Returns why it is refused, or undefined when it is
   * counted.
   */
  hold(req: IncomingMessage, end: EventEmitter): string | undefined;
  /** Streams that all callers together may have reserved and not opened. */
  maxReserved?: number;
}

const tokenHeader = 'x-graphql-event-stream-token';
/** Operations are a few KB of text, as on a socket. */
const maxBodyBytes = 1_000_000;
/** Enough for UUIDs and the like. The id is repeated in every message, so it must stay short. */
const maxIdLength = 128;
/** A client opens the stream right after it reserved it, so an unopened one is dropped after this. */
const reservedMs = 30_000;
/**
 * Before the stream is open nobody reads the results, so a stranger may only start few and small operations.
 */
const early = { operations: 2, bodyBytes: 20_000 };
/** A reservation takes a few hundred bytes. */
const maxReservedStreams = 10_000;

/**
 * GraphQL over SSE, single connection mode: `PUT` reserves an event stream and returns its token, `GET` opens
 * it, each `POST` starts an operation whose results arrive on the stream, `DELETE` stops one. A stream exists
 * in one replica only. graphql-sse's own handler drops no reservation, queues what is not read without a
 * bound, runs operations before the stream is open, and lets one failed operation end the whole stream.
 */
export function singleConnection(runner: OperationRunner, options: SingleConnectionOptions) {
  const { maxReserved = maxReservedStreams } = options;
  const streams = new Map<string, OperationStream>();
  let reserved = 0;

  const find = (url: URL, req: IncomingMessage): OperationStream => {
    const stream = streams.get(tokenOf(url, req) ?? '');
    if (stream) return stream;
    throw new HttpError(404, 'No event stream has this token, at this replica. Reserve one with PUT.');
  };

  const reserve = (req: IncomingMessage, res: ServerResponse) => {
    if (reserved >= maxReserved)
      throw new HttpError(429, 'Too many event streams are reserved and not open. Try again soon.');
    const reservation = new EventEmitter();
    const refusal = options.hold(req, reservation);
    if (refusal !== undefined) throw new HttpError(429, refusal);
    reserved++;
    const token = randomUUID();
    // Once the stream is open, the limit counts its response instead of the reservation.
    reservation.once('close', () => reserved--);
    const stream = new OperationStream({
      opened: () => reservation.emit('close'),
      closed: () => {
        streams.delete(token);
        reservation.emit('close');
      },
    });
    streams.set(token, stream);
    setTimeout(() => stream.isOpen || stream.close(), reservedMs).unref();
    res
      .writeHead(201, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      .end(token);
  };

  const open = (stream: OperationStream, req: IncomingMessage, res: ServerResponse) => {
    // The stream limit, the stream metric and the drain recognise event streams by this header.
    if (!req.headers.accept?.includes('text/event-stream'))
      throw new HttpError(406, 'To open an event stream, send "Accept: text/event-stream".');
    if (stream.isOpen) throw new HttpError(409, 'This event stream is open already. Reserve another.');
    stream.open(res);
  };

  const start = async (stream: OperationStream, req: IncomingMessage, res: ServerResponse) => {
    if (!/^application\/([\w.-]+\+)?json\b/i.test(req.headers['content-type'] ?? ''))
      throw new HttpError(415, 'Send the operation as application/json.');
    const { id, params } = readOperation(await readBody(req, stream.isOpen ? maxBodyBytes : early.bodyBytes));
    if (stream.has(id))
      throw new HttpError(409, `The operation ${id} is under way. Give each an id of its own.`);
    const maxOperations = stream.isOpen ? options.maxOperations : early.operations;
    if (stream.size >= maxOperations)
      throw new HttpError(
        400,
        `This event stream has ${stream.size} operations under way, and may have ${maxOperations} (${stream.isOpen ? 'MAX_SOCKET_OPERATIONS' : 'as long as it is not open'}). End one of them.`,
        {},
        'LIMIT_EXCEEDED',
      );
    const slot = stream.reserve(id);
    const prepared = await runner.prepare(askedBy(req), params).catch((error: unknown) => {
      stream.release(slot);
      throw error;
    });
    if ('errors' in prepared) {
      stream.release(slot);
      return sendErrors(res, prepared.errors);
    }
    res.writeHead(202).end();
    // A failure here means that the client has left, so it is logged for debugging only.
    stream
      .run(slot, runner.run(prepared))
      .catch((error: unknown) => options.log.debug({ err: error }, 'an operation was left'));
  };

  return {
    /** Whether a request to the GraphQL endpoint belongs to the single connection mode. */
    owns: (req: IncomingMessage, url: URL): boolean =>
      req.method === 'PUT' || req.method === 'DELETE' || tokenOf(url, req) !== undefined,
    async handle(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
      if (req.method === 'PUT') return reserve(req, res);
      const stream = find(url, req);
      if (req.method === 'DELETE') {
        const id = url.searchParams.get('operationId');
        if (!id) throw new HttpError(400, 'operationId must name the operation that is to end.');
        stream.stop(id);
        res.writeHead(200).end();
      } else if (req.method === 'GET') open(stream, req, res);
      else if (req.method === 'POST')
        await runWith({ requestId: requestIdOf(res) }, () => start(stream, req, res));
      else throw new HttpError(405, 'An event stream takes PUT, GET, POST and DELETE.', { allow });
    },
  };
}

const allow = 'PUT, GET, POST, DELETE';

const tokenOf = (url: URL, { headers }: IncomingMessage): string | undefined =>
  headers[tokenHeader]?.toString() ?? url.searchParams.get('token') ?? undefined;

/** @throws HttpError 400 unless the body is an operation with an id. */
function readOperation(body: Buffer): { id: string; params: OperationParams } {
  let asked: unknown;
  try {
    asked = JSON.parse(body.toString());
  } catch {
    throw new HttpError(400, 'The body is not JSON.');
  }
  const { query, operationName, variables, extensions } = objectOf(asked);
  const { operationId: id } = objectOf(extensions);
  if (typeof id !== 'string' || id === '' || id.length > maxIdLength)
    throw new HttpError(
      400,
      `extensions.operationId must name the operation, in ${maxIdLength} characters at most: its results carry it.`,
    );
  if (typeof query !== 'string') throw new HttpError(400, 'query must be the text of an operation.');
  if (operationName != null && typeof operationName !== 'string')
    throw new HttpError(400, 'operationName must be a text.');
  if (variables != null && objectOf(variables) !== variables)
    throw new HttpError(400, 'variables must be an object.');
  return { id, params: { query, operationName: operationName ?? null, variables: variables as never } };
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

function sendErrors(res: ServerResponse, errors: readonly GraphQLError[]): void {
  const { http } = errors[0]?.extensions ?? {};
  const status = (http as { status?: number } | undefined)?.status ?? 400;
  const body = JSON.stringify({ errors: errors.map(withoutStatus) });
  res
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    .end(body);
}

/** The place of one operation on its stream. A later operation under the same id has another slot. */
interface Slot {
  readonly id: string;
  results?: AsyncGenerator<unknown>;
}

/** One client's event stream, with the results of all its operations. Reserved first, opened once. */
export class OperationStream {
  /** By the operation ids that the client chose. */
  readonly #slots = new Map<string, Slot>();
  readonly #events = Promise.withResolvers<EventStream>();
  readonly #on: { opened(): void; closed(): void };
  #state: 'reserved' | 'open' | 'closed' = 'reserved';

  constructor(on: { opened(): void; closed(): void }) {
    this.#on = on;
    // If nobody waits when the stream closes, the rejection must not count as unhandled.
    this.#events.promise.catch(() => {});
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get size(): number {
    return this.#slots.size;
  }

  has(id: string): boolean {
    return this.#slots.has(id);
  }

  open(res: ServerResponse): void {
    this.#state = 'open';
    this.#on.opened();
    res.writeHead(200, eventStreamHeaders);
    res.once('close', () => this.close());
    this.#events.resolve(new EventStream(res, ':\n\n'));
  }

  /** Reserves the id for an operation that is still being prepared. */
  reserve(id: string): Slot {
    const slot = { id };
    this.#slots.set(id, slot);
    return slot;
  }

  /** Frees the id, unless another operation has taken it. */
  release(slot: Slot): void {
    if (this.#slots.get(slot.id) === slot) this.#slots.delete(slot.id);
  }

  /**
   * Sends the results until they end. The next one is read only after the last was sent, so the rest waits at
   * its source.
   */
  async run(slot: Slot, results: AsyncGenerator<unknown>): Promise<void> {
    try {
      // The operation may have been stopped, or the client may have left, while it was prepared.
      if (!this.#isWanted(slot)) return;
      slot.results = results;
      const events = await this.#events.promise;
      if (!this.#isWanted(slot)) return;
      for await (const payload of results) {
        if (events.isClosed || !this.#isWanted(slot)) return;
        await events.send(message('next', { id: slot.id, payload }));
      }
      if (this.#isWanted(slot)) await events.send(message('complete', { id: slot.id }));
    } finally {
      this.release(slot);
      await results.return(undefined);
    }
  }

  stop(id: string): void {
    const slot = this.#slots.get(id);
    this.#slots.delete(id);
    // Its failure is that of `run`, which reads the results.
    slot?.results?.return(undefined).catch(() => {});
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#events.reject(new Error('the event stream has closed'));
    for (const id of [...this.#slots.keys()]) this.stop(id);
    this.#on.closed();
  }

  #isWanted(slot: Slot): boolean {
    return this.#state !== 'closed' && this.#slots.get(slot.id) === slot;
  }
}

/** JSON has no raw line breaks, so one data line holds it. */
const message = (event: 'next' | 'complete', data: object) =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
