import type { IncomingMessage, ServerResponse } from 'node:http';
import { runWith } from '@srr-gateway/common/async-context';
import { requestIdOf } from '../../lib/request-id.ts';
import { publish } from '../../observability/telemetry.ts';
import { inCodingFor } from './compressed.ts';
import { KeptAnswers, send, type WholeAnswer } from './kept-answers.ts';
import { PendingAnswer, type PendingContext } from './pending-answer.ts';
import type { GraphQLServer } from './yoga.ts';

/** A question that is itself long is seldom asked twice. */
const maxKeyBytes = 20_000;

/** With one of these a request is its caller's own, or its answer depends on more than the key has. */
const personal = [
  'authorization',
  'commerce-api-key',
  'issuer-address',
  'cookie',
  'access-control-request-method',
  'access-control-request-headers',
];

/** With one of these the bytes of a body are not its text. */
const encodings = ['content-encoding', 'transfer-encoding'];

/**
 * GraphQL over HTTP, where anonymous reads that were answered before are answered again without being parsed,
 * as long as their block stands. That is right because the key is all of a request that its answer can depend
 * on: what Yoga and its plugins read is its method, address, body and these few headers. Whether an answer may
 * be kept, and at which block it holds, is said by the pipeline that made it; the head is looked up each time,
 * so that a new block or a webhook takes effect at once.
 */
export function createListener(graphql: GraphQLServer, head: () => string | undefined) {
  const answers = new KeptAnswers(head);
  const running = new Map<string, PendingAnswer>();

  /**
   * At a new block equal readers wait for the first of them. What is not known for a public read may be a
   * mutation or a subscription, which nobody must wait for.
   */
  const ofAnother = async (key: string): Promise<WholeAnswer | undefined> => {
    if (!answers.isPublic(key)) return undefined;
    await running.get(key)?.done;
    return answers.find(key);
  };

  // Not for answers from memory: nothing is logged of them.
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
    // Yoga waits for ever for a reader that left in the middle of its answer.
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

  // Whatever fails on the way is for the server to answer: unheard, it would end the process.
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (!isSmall(req, graphql.graphqlEndpoint)) return execute(req, res);
    if (req.method === 'GET') return serve(req, res);
    const body = await whole(req);
    leaveBody(req, body);
    return serve(req, res, body);
  };
}

/** Whether its body, if any, is a question that is read here: at once, and without the streams of the web. */
function isSmall({ method, url = '', headers }: IncomingMessage, endpoint: string): boolean {
  if (!url.startsWith(endpoint)) return false;
  if (encodings.some((name) => headers[name] !== undefined)) return false;
  const length = Number(headers['content-length'] ?? 0);
  if (method === 'GET') return length === 0 && url.length <= maxKeyBytes;
  if (method !== 'POST' || length === 0 || length > maxKeyBytes) return false;
  return headers['content-type']?.startsWith('application/json') ?? false;
}

// No header and no address can hold a line break, so that no two requests have the same key.
const keyOf = ({ method, url, headers }: IncomingMessage, body: string): string =>
  `${method} ${url}\n${headers.accept}\n${headers['accept-language']}\n${headers['content-type']}\n${headers.origin}\n${body}`;

/** It waits for ever for a body that breaks off: its sender is gone. */
function whole(req: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  req.on('data', (piece: Buffer) => pieces.push(piece));
  req.on('end', () => resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)));
  return promise;
}

/** Where body parsers leave what they have read, and Yoga looks for it; what is no JSON it refuses itself. */
function leaveBody(req: IncomingMessage & { body?: unknown }, bytes: Buffer): void {
  try {
    const parsed: unknown = JSON.parse(bytes.toString());
    req.body = isFilled(parsed) ? parsed : bytes;
  } catch {
    req.body = bytes;
  }
}

/** Of anything else Yoga thinks that nobody has read it yet. */
const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;
