import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../lib/log.ts';
import { requestIdOf } from '../lib/request-id.ts';
import { workingFor } from '../lib/work.ts';
import { readBody } from './read-body.ts';
import { HttpError, sendJson } from './respond.ts';
import { type Results, SharedStream } from './shared-stream.ts';

/** A request's GraphQL parameters, as far as they are known to be usable. */
export interface OperationParams {
  query: string;
  operationName?: string | null;
  variables?: Record<string, unknown> | null;
}

/** Validates and begins an operation; `errors` refuse it, with the status that HTTP has for them. */
export type Begin = (
  req: IncomingMessage,
  params: OperationParams,
) => Promise<{ results: Results } | { errors: readonly object[]; status: number }>;

export interface SingleConnectionOptions {
  begin: Begin;
  log: Logger;
  /** That one stream has under way at a time. */
  maxOperations: number;
}

const tokenHeader = 'x-graphql-event-stream-token';
/** Operations are text of a few KB, as on a socket. */
const maxBodyBytes = 1_000_000;
/** A client opens the stream that it reserved at once. */
const reservedMs = 30_000;
/** Reservations are a few hundred bytes each; of more than these the oldest goes. */
const maxReserved = 10_000;

/**
 * GraphQL over SSE, single connection mode: `PUT` reserves an event stream and gives its token, `GET` opens it,
 * each `POST` begins an operation whose results come by it, `DELETE` stops one. A stream lives in one replica.
 */
export function singleConnection({ begin, log, maxOperations }: SingleConnectionOptions) {
  const reserved = new Map<string, SharedStream>();
  const open = new Map<string, SharedStream>();

  const find = (url: URL, req: IncomingMessage): [string, SharedStream] => {
    const token = tokenOf(url, req) ?? '';
    const stream = open.get(token) ?? reserved.get(token);
    if (stream) return [token, stream];
    throw new HttpError(404, 'No event stream has this token, at this replica. Reserve one with PUT.');
  };

  const reserve = (res: ServerResponse) => {
    const token = randomUUID();
    const stream = new SharedStream(() => {
      reserved.delete(token);
      open.delete(token);
    });
    const [oldest] = reserved.values();
    if (reserved.size >= maxReserved) oldest?.end();
    reserved.set(token, stream);
    setTimeout(() => stream.isOpen || stream.end(), reservedMs).unref();
    res
      .writeHead(201, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      .end(token);
  };

  const operate = async (stream: SharedStream, req: IncomingMessage, res: ServerResponse) => {
    if (!/^application\/([\w.-]+\+)?json\b/i.test(req.headers['content-type'] ?? ''))
      throw new HttpError(415, 'Send the operation as application/json.');
    const { id, params } = readOperation(await readBody(req, maxBodyBytes));
    if (stream.has(id))
      throw new HttpError(409, `The operation ${id} is under way. Give each an id of its own.`);
    if (stream.size >= maxOperations)
      throw new HttpError(
        429,
        `This event stream has ${stream.size} operations under way, and may have ${maxOperations} (MAX_SOCKET_OPERATIONS).`,
      );
    stream.reserve(id);
    const begun = await begin(req, params).catch((error: unknown) => {
      stream.stop(id);
      throw error;
    });
    if ('errors' in begun) {
      stream.stop(id);
      return sendJson(res, begun.status, { errors: begun.errors });
    }
    res.writeHead(202).end();
    // What it fails for now is that its client has gone.
    stream
      .run(id, begun.results)
      .catch((error: unknown) => log.debug({ err: error }, 'an operation was left'));
  };

  return {
    /** Whether a request to the GraphQL endpoint is one of these. */
    owns: (req: IncomingMessage, url: URL): boolean =>
      req.method === 'PUT' || req.method === 'DELETE' || tokenOf(url, req) !== undefined,
    async handle(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
      if (req.method === 'PUT') return reserve(res);
      const [token, stream] = find(url, req);
      if (req.method === 'DELETE') {
        stream.stop(url.searchParams.get('operationId') ?? '');
        res.writeHead(200).end();
      } else if (req.headers.accept?.includes('text/event-stream')) {
        if (stream.isOpen) throw new HttpError(409, 'This event stream is open already. Reserve another.');
        stream.open(res);
        open.set(token, stream);
        reserved.delete(token);
      } else await workingFor({ requestId: requestIdOf(res) }, () => operate(stream, req, res));
    },
  };
}

const tokenOf = (url: URL, { headers }: IncomingMessage): string | undefined =>
  headers[tokenHeader]?.toString() ?? url.searchParams.get('token') ?? undefined;

/** @throws HttpError 400 for what is no operation with an id. */
function readOperation(body: Buffer): { id: string; params: OperationParams } {
  let asked: unknown;
  try {
    asked = JSON.parse(body.toString());
  } catch {
    throw new HttpError(400, 'The body is not JSON.');
  }
  const { query, operationName, variables, extensions } = objectOf(asked);
  const { operationId: id } = objectOf(extensions);
  if (typeof id !== 'string' || id === '')
    throw new HttpError(400, 'extensions.operationId must name the operation: its results carry it.');
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
