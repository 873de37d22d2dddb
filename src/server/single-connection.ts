import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { runWith } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import { HttpError } from '../lib/http-error.ts';
import type { OperationParams } from '../lib/operation-params.ts';
import { readBody } from '../lib/read-body.ts';
import { requestIdOf } from '../lib/request-id.ts';
import { sendJson } from './respond.ts';
import { type Results, SharedStream } from './shared-stream.ts';

/** Validates and starts an operation. `errors` means that it was refused, with the HTTP status that fits. */
export type Begin = (
  req: IncomingMessage,
  params: OperationParams,
) => Promise<{ results: Results } | { errors: readonly object[]; status: number }>;

/** What the single connection mode needs from the GraphQL server, and its limits. */
export interface SingleConnectionOptions {
  begin: Begin;
  log: Logger;
  /** Operations that one open stream may have under way. */
  maxOperations: number;
  /**
   * Counts a reserved stream until `end` emits `close`. Returns why it is refused, or undefined when it is
   * counted.
   */
  hold(req: IncomingMessage, end: EventEmitter): string | undefined;
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
/** For all callers together. A reservation takes a few hundred bytes. */
const maxReserved = 10_000;

/**
 * GraphQL over SSE, single connection mode: `PUT` reserves an event stream and returns its token, `GET` opens
 * it, each `POST` starts an operation whose results arrive on the stream, `DELETE` stops one. A stream exists
 * in one replica only.
 */
export function singleConnection(options: SingleConnectionOptions) {
  const { begin, log } = options;
  const reserved = new Map<string, SharedStream>();
  const open = new Map<string, SharedStream>();

  const find = (url: URL, req: IncomingMessage): SharedStream => {
    const token = tokenOf(url, req) ?? '';
    const stream = open.get(token) ?? reserved.get(token);
    if (stream) return stream;
    throw new HttpError(404, 'No event stream has this token, at this replica. Reserve one with PUT.');
  };

  const reserve = (req: IncomingMessage, res: ServerResponse) => {
    const held = new EventEmitter();
    const refusal = options.hold(req, held);
    if (refusal !== undefined || reserved.size >= maxReserved)
      throw new HttpError(
        429,
        refusal ?? 'Too many event streams are reserved and not open. Try again soon.',
      );
    const token = randomUUID();
    const stream: SharedStream = new SharedStream({
      // From here on the limit counts the open response instead of the reservation.
      open: () => {
        reserved.delete(token);
        open.set(token, stream);
        held.emit('close');
      },
      end: () => {
        reserved.delete(token);
        open.delete(token);
        held.emit('close');
      },
    });
    reserved.set(token, stream);
    setTimeout(() => stream.isOpen || stream.end(), reservedMs).unref();
    res
      .writeHead(201, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      .end(token);
  };

  const operate = async (stream: SharedStream, req: IncomingMessage, res: ServerResponse) => {
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
    const begun = await begin(req, params).catch((error: unknown) => {
      stream.release(slot);
      throw error;
    });
    if ('errors' in begun) {
      stream.release(slot);
      return sendJson(res, begun.status, { errors: begun.errors });
    }
    res.writeHead(202).end();
    // A failure here means that the client has left, so it is logged for debugging only.
    stream
      .run(slot, begun.results)
      .catch((error: unknown) => log.debug({ err: error }, 'an operation was left'));
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
      } else if (req.method === 'GET') {
        // The stream limit, the stream metric and the drain recognise event streams by this header.
        if (!req.headers.accept?.includes('text/event-stream'))
          throw new HttpError(406, 'To open an event stream, send "Accept: text/event-stream".');
        if (stream.isOpen) throw new HttpError(409, 'This event stream is open already. Reserve another.');
        stream.open(res);
      } else if (req.method === 'POST')
        await runWith({ requestId: requestIdOf(res) }, () => operate(stream, req, res));
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
