import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from '@srr-gateway/common/log';
import { CloseCode, handleProtocols, makeServer, type ServerOptions } from 'graphql-ws';
import type { Extra } from 'graphql-ws/use/ws';
import { WebSocket, WebSocketServer } from 'ws';
import { credentialsIn, type RequestCredentials } from '../../access/request-credentials.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Asked } from '../execution/context-factory.ts';
import { limitExceeded } from '../execution/limits/limit-error.ts';
import { type OperationRunner, type PreparedOperation, refused, withoutStatus } from './operation-runner.ts';

/** Operations are a few KB of text. A socket takes no files. */
const maxMessageBytes = 1_000_000;

/** The size limit of a message: a peer that reads what it is sent never leaves more than this unread. */
const maxUnsentBytes = 1_000_000;

/** Proxies cut a silent connection after 30 to 60 s. A peer that is gone does not answer the ping. */
const pingMs = 12_000;

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
  tooOften(req: IncomingMessage, presented: RequestCredentials): MaybePromise<string | undefined>;
}

/** Serves GraphQL over WebSocket (graphql-transport-ws) on the same path as HTTP. */
export function serveWebSocket(
  server: Server,
  path: string,
  runner: OperationRunner,
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
  useServer(
    {
      execute: (args) => runner.run(args as PreparedOperation),
      subscribe: (args) => runner.run(args as PreparedOperation),
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
        const prepared = await runner.prepare(asked, params);
        return 'errors' in prepared ? prepared.errors : prepared;
      },
      onError: (_context, _id, _payload, errors) =>
        errors.map((error) => withoutStatus(runner.mask(error)).toJSON()),
    },
    sockets,
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

/**
 * Speaks graphql-transport-ws on every socket of a server, as graphql-ws' own adapter does. That one has no
 * back-pressure, and prints a stack to the console, past the log and its redaction, for each broken frame of
 * a stranger.
 */
export function useServer(
  options: ServerOptions<Record<string, unknown>, Extra>,
  sockets: WebSocketServer,
  log: Logger,
): void {
  const protocol = makeServer(options);
  sockets.options.handleProtocols = handleProtocols;
  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    const failed = (error: unknown) => {
      log.error({ err: error }, 'a socket failed');
      socket.close(CloseCode.InternalServerError, 'Internal server error');
    };
    // Frames that are too long or broken. The close code tells the sender.
    socket.on('error', (error) => log.debug({ err: error }, 'a socket was cut'));
    const stopPings = keepAlive(socket);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) => send(socket, text),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (take) => socket.on('message', (data) => void take(String(data)).catch(failed)),
      },
      { socket, request },
    );
    socket.once('close', (code, reason) => {
      stopPings();
      closed(code, String(reason)).catch((error: unknown) => log.error({ err: error }, 'a socket failed'));
    });
  });
}

/**
 * Sends a message. Stops reading from a socket whose peer does not read our replies, until it does: every
 * message may cause a reply, be it a pong or a refusal, and they would pile up in memory.
 */
function send(socket: WebSocket, text: string): Promise<void> {
  if (socket.readyState !== socket.OPEN) return Promise.resolve();
  return new Promise((resolve, reject) => {
    socket.send(text, (error) => {
      if (socket.isPaused && socket.bufferedAmount <= maxUnsentBytes) socket.resume();
      if (error) reject(error);
      else resolve();
    });
    if (socket.bufferedAmount > maxUnsentBytes) socket.pause();
  });
}

/** Cuts off a peer that has not answered a ping when the next one is due. */
function keepAlive(socket: WebSocket): () => void {
  let answered = true;
  socket.on('pong', () => {
    answered = true;
  });
  const timer = setInterval(() => {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
  }, pingMs);
  return () => clearInterval(timer);
}

/** Credentials come with a socket's first message, because a browser cannot set headers on a socket. */
function askedOn(upgrade: IncomingMessage, connectionParams: Record<string, unknown> = {}): Asked {
  const said = Object.entries(connectionParams).filter(([, value]) => value != null);
  // A value that is not text counts as absent. It does not fall back to the header of the upgrade request.
  const named = Object.fromEntries(
    said.map(([name, value]) => [name.toLowerCase(), typeof value === 'string' ? value : undefined]),
  );
  const headers = { ...upgrade.headers, ...named };
  return { headers, presented: credentialsIn(headers) };
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
