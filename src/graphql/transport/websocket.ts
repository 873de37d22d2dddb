import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from '@srr-gateway/common/log';
import type { ExecutionArgs } from 'graphql';
import { WebSocket, WebSocketServer } from 'ws';
import { type Presented, presentedIn } from '../../access/presented.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Context } from '../execution/context.ts';
import type { Asked } from '../execution/context-factory.ts';
import { limitExceeded } from '../execution/limits/limit-error.ts';
import { oneResult } from './one-result.ts';
import { type Operations, type PreparedOperation, refused, withoutStatus } from './operations.ts';
import { speakGraphQL } from './sockets.ts';

/** Operations are a few KB of text. A socket takes no files. */
const maxMessageBytes = 1_000_000;

/** A live client answers a close at once. A dead one must not delay a stop. */
const closeWithinMs = 1_000;

/** The limits of a WebSocket server, and its log. */
export interface WebSocketOptions {
  log: Logger;
  /** Operations that one socket may have open. */
  maxOperations: number;
  /** Counts a connection until `end` closes. Returns why it is refused, or undefined when it is counted. */
  hold(req: IncomingMessage, end: Duplex): string | undefined;
  /** Counts an operation. Returns why it is refused, or undefined when it may go on. */
  tooOften(req: IncomingMessage, presented: Presented): MaybePromise<string | undefined>;
}

/** Serves GraphQL over WebSocket (graphql-transport-ws) on the same path as HTTP. */
export function serveWebSocket(
  server: Server,
  path: string,
  operations: Operations,
  options: WebSocketOptions,
): { close(): Promise<void>; connections(): number } {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes });
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (req.url?.split('?')[0] !== path) return void socket.destroy();
    const refusal = options.hold(req, socket);
    if (refusal !== undefined)
      return void socket.on('error', () => socket.destroy()).end(refusedUpgrade(refusal));
    sockets.handleUpgrade(req, socket, head, (ws) => sockets.emit('connection', ws, req));
  });
  speakGraphQL(
    sockets,
    {
      execute: (args) => oneResult(() => operations.perform(args as PreparedOperation), endOf(args)),
      subscribe: (args) => operations.perform(args as PreparedOperation),
      onSubscribe: async (context, _id, params) => {
        const open = Object.keys(context.subscriptions).length;
        if (open > options.maxOperations) return [tooManyOpen(options.maxOperations, open)];
        const asked = askedOn(context.extra.request, context.connectionParams);
        const refusal = await options.tooOften(context.extra.request, asked.presented);
        if (refusal) return [refused('RATE_LIMITED', refusal)];
        const { socket } = context.extra;
        await ownTurn(socket);
        // A closed socket gets no response, so its queued operations need not be executed.
        if (socket.readyState !== WebSocket.OPEN) return [refused('INVALID_INPUT', 'The socket is closed.')];
        const prepared = await operations.prepare(asked, params);
        return 'errors' in prepared ? prepared.errors : prepared;
      },
      onNext: (_context, _id, _payload, _args, result) =>
        result.errors && { ...result, errors: result.errors.map(withoutStatus) },
      onError: (_context, _id, _payload, errors) =>
        errors.map((error) => withoutStatus(operations.mask(error)).toJSON()),
    },
    options.log,
  );
  return {
    connections: () => sockets.clients.size,
    /** Closes every socket with 1001 (going away), so that clients reconnect and resume. */
    close: async () => {
      for (const socket of sockets.clients) socket.close(1001, 'Going away');
      const cut = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
      }, closeWithinMs);
      await new Promise((closed) => sockets.close(closed));
      clearTimeout(cut);
    },
  };
}

/** Neither a message nor a closed socket aborts a request, so the operation is ended through its context. */
const endOf =
  ({ contextValue }: ExecutionArgs) =>
  () =>
    (contextValue as Context).end();

/** Credentials come with a socket's first message, because a browser cannot set headers on a socket. */
function askedOn(upgrade: IncomingMessage, connectionParams: Record<string, unknown> = {}): Asked {
  const said = Object.entries(connectionParams).filter(([, value]) => value != null);
  // A value that is not text counts as absent. It does not fall back to the header of the upgrade request.
  const named = Object.fromEntries(
    said.map(([name, value]) => [name.toLowerCase(), typeof value === 'string' ? value : undefined]),
  );
  const headers = { ...upgrade.headers, ...named };
  return { headers, presented: presentedIn(headers) };
}

const turns = new WeakMap<WebSocket, Promise<void>>();

/**
 * Gives each operation of a socket a turn of the event loop of its own. A hundred of them may arrive in one
 * read; without this they would all be executed before another caller is served, and before unread responses
 * are checked.
 */
function ownTurn(socket: WebSocket): Promise<void> {
  const turn = (turns.get(socket) ?? Promise.resolve()).then(() => setImmediate());
  turns.set(socket, turn);
  return turn;
}

const refusedUpgrade = (why: string) =>
  `HTTP/1.1 429 Too Many Requests\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(why)}\r\n\r\n${why}`;

const tooManyOpen = (allowed: number, open: number) =>
  limitExceeded(
    'socketOperations',
    allowed,
    open,
    `This would be operation ${open} that the socket has open`,
  );
