import type { IncomingMessage, ServerResponse } from 'node:http';
import { runWith } from '@srr-gateway/common/async-context';
import { requestIdOf } from '../../lib/request-id.ts';
import { publish } from '../../observability/telemetry.ts';
import { PendingAnswer, type PendingContext } from '../execution/pending-answer.ts';
import { KeptAnswers, send, type WholeAnswer } from '../execution/response-cache.ts';
import { inCodingFor } from './compressed.ts';
import type { GraphQLServer } from './yoga.ts';

/** Long requests are seldom repeated, so they are not cached. */
const maxKeyBytes = 20_000;

/** A request with one of these headers is personal, or its response depends on more than the cache key. */
const personal = [
  'authorization',
  'commerce-api-key',
  'issuer-address',
  'cookie',
  'access-control-request-method',
  'access-control-request-headers',
];

/** With one of these headers the bytes of the body are not its text. */
const encodings = ['content-encoding', 'transfer-encoding'];

/**
 * GraphQL over HTTP with a response cache: anonymous reads that were answered before are answered again
 * without parsing, while their block is the newest. This is correct because the key has everything that such
 * a response can depend on: what Yoga and its plugins read is the method, the address, the body and these few
 * headers. The pipeline that produced a response says whether it may be cached and for which block. The
 * newest block is looked up each time, so that a new block or a webhook takes effect at once.
 */
export function createListener(graphql: GraphQLServer, head: () => string | undefined) {
  const answers = new KeptAnswers(head);
  const running = new Map<string, PendingAnswer>();

  /**
   * At a new block equal requests wait for the first of them. Only for known public reads: anything else may
   * be a mutation or a subscription, which nobody may wait for.
   */
  const ofAnother = async (key: string): Promise<WholeAnswer | undefined> => {
    if (!answers.isPublic(key)) return undefined;
    await running.get(key)?.done;
    return answers.find(key);
  };

  // Responses from the cache need no log context, because nothing is logged about them.
  const execute = async (req: IncomingMessage, res: ServerResponse, context: PendingContext = {}) => {
    await runWith({ requestId: requestIdOf(res) }, () => graphql(req, res, context));
  };

  const ask = async (key: string, askedAt: number, req: IncomingMessage, res: ServerResponse) => {
    const pending = new PendingAnswer(askedAt, (holds, whole) => answers.keep(key, holds, whole));
    running.set(key, pending);
    const over = () => {
      pending.end();
      if (running.get(key) === pending) running.delete(key);
    };
    // Yoga never settles for a reader that left in the middle of its response.
    res.once('close', over);
    try {
      await execute(req, res, { pending });
    } finally {
      over();
    }
  };

  const respond = async (key: string, req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const askedAt = performance.now();
    const known = answers.find(key) ?? (await ofAnother(key));
    publish('cache', { cache: 'answers', hit: known !== undefined });
    if (known) send(res, inCodingFor(req.headers['accept-encoding'], known));
    else await ask(key, askedAt, req, res);
  };

  const serve = (req: IncomingMessage, res: ServerResponse, body?: Buffer): Promise<void> =>
    personal.some((name) => req.headers[name] !== undefined)
      ? execute(req, res)
      : respond(keyOf(req, body?.toString('latin1') ?? ''), req, res);

  // Rejects on failure, so that the server can answer. An unhandled rejection would end the process.
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (!isSmall(req, graphql.graphqlEndpoint)) return execute(req, res);
    if (req.method === 'GET') return serve(req, res);
    const body = await whole(req);
    leaveBody(req, body);
    return serve(req, res, body);
  };
}

/**
 * Whether the request is small enough for the cache. Its body is then read here at once, without web streams.
 */
function isSmall({ method, url = '', headers }: IncomingMessage, endpoint: string): boolean {
  if (!url.startsWith(endpoint)) return false;
  if (encodings.some((name) => headers[name] !== undefined)) return false;
  const length = Number(headers['content-length'] ?? 0);
  if (method === 'GET') return length === 0 && url.length <= maxKeyBytes;
  if (method !== 'POST' || length === 0 || length > maxKeyBytes) return false;
  return headers['content-type']?.startsWith('application/json') ?? false;
}

// Headers and addresses cannot have line breaks, so no two different requests have the same key.
const keyOf = ({ method, url, headers }: IncomingMessage, body: string): string =>
  `${method} ${url}\n${headers.accept}\n${headers['accept-language']}\n${headers['content-type']}\n${headers.origin}\n${body}`;

/** The whole body. Never settles when it breaks off: its sender is gone, and nobody waits for a response. */
function whole(req: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  req.on('data', (piece: Buffer) => pieces.push(piece));
  req.on('end', () => resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)));
  return promise;
}

/** Puts the body where body parsers put it and Yoga looks for it. Yoga itself refuses what is not JSON. */
function leaveBody(req: IncomingMessage & { body?: unknown }, bytes: Buffer): void {
  try {
    const parsed: unknown = JSON.parse(bytes.toString());
    req.body = isFilled(parsed) ? parsed : bytes;
  } catch {
    req.body = bytes;
  }
}

/** Yoga takes any other value for a body that nobody has read yet. */
const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;
