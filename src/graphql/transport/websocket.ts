import type { IncomingMessage, Server } from 'node:http';
import { GraphQLError } from 'graphql';
import { CloseCode, handleProtocols, makeServer } from 'graphql-ws';
import type { Extra } from 'graphql-ws/use/ws';
import { WebSocket, WebSocketServer } from 'ws';
import type { ChargeRequest } from '../../access/caller-budget.ts';
import { credentialsIn } from '../../access/request-credentials.ts';
import { startHeartbeat } from '../../lib/heartbeat.ts';
import { graphqlPath } from '../../lib/operation-params.ts';
import type { OperationSource } from '../execution/context.ts';
import { limitExceeded } from '../execution/limits/query-limits.ts';
import {
  type PreparedOperation,
  type PrepareOperation,
  type SharedConnectionOptions,
  withoutStatus,
} from './operation-runner.ts';

/** As much as the longest message accepted. Beyond it the gateway stops reading from the peer. */
const maxUnsentBytes = 1_000_000;

/** A socket keeps its connectionParams while it is open, and an address may have a thousand sockets. */
const maxParams = 16_384;

const settings = {
  noServer: true,
  handleProtocols,
  /** Operations are a few KB of text; files cannot be sent over a socket. */
  maxPayload: 1_000_000,
  /**
   * Gives each message a turn of the event loop of its own. A hundred operations may arrive in one read; they
   * would all be executed before another caller is served, and before unread responses are checked.
   */
  allowSynchronousEvents: false,
  /** A live client answers a close at once. A dead one must not delay a stop. */
  closeTimeout: 1_000,
};

export interface WebSocketOptions extends SharedConnectionOptions {
  /** Charges an operation to its caller's request budget. Absent: no caller is limited. */
  chargeRequest: ChargeRequest | undefined;
  /** Why a page may not open a socket; undefined when it may. */
  originRefusal(req: IncomingMessage): string | undefined;
}

/**
 * Serves GraphQL over WebSocket (graphql-transport-ws) on the same path as HTTP. graphql-ws' own adapter for ws has
 * no back-pressure, and for each malformed frame prints a stack to the console, past the log and its redaction.
 */
export function serveWebSocket(
  server: Server,
  prepare: PrepareOperation,
  { log, maxOperations, admitStream, chargeRequest, originRefusal }: WebSocketOptions,
): { close(): Promise<void>; clients: ReadonlySet<WebSocket> } {
  /** The status and reason of a refused upgrade; undefined when it may go on. */
  const refusalOf = (req: IncomingMessage): [status: number, why: string] | undefined => {
    if (req.url?.split('?')[0] !== graphqlPath)
      return [404, `There is no WebSocket here; that of GraphQL is at ${graphqlPath}.`];
    const badOrigin = originRefusal(req);
    if (badOrigin !== undefined) return [403, badOrigin];
    const why = admitStream(req, req.socket);
    return why === undefined ? undefined : [429, why];
  };
  const sockets = new WebSocketServer({
    ...settings,
    verifyClient: ({ req }, answer) => {
      const [status, why] = refusalOf(req) ?? [];
      answer(status === undefined, status, why, { 'Content-Type': 'text/plain' });
    },
  });
  const run = (args: unknown) => (args as PreparedOperation).results;
  const protocol = makeServer<Record<string, unknown>, Extra>({
    execute: run,
    subscribe: run,
    onConnect: ({ connectionParams, extra }) => {
      if (JSON.stringify(connectionParams ?? {}).length <= maxParams) return true;
      const why = `The payload of connection_init may have ${maxParams} characters, as the headers of a request.`;
      extra.socket.close(CloseCode.BadRequest, why);
      return false;
    },
    onSubscribe: async ({ subscriptions, extra, connectionParams }, _id, params) => {
      const open = Object.keys(subscriptions).length;
      if (open > maxOperations) {
        const what = `This would be operation ${open} that the socket has open`;
        return [withoutStatus(limitExceeded('socketOperations', maxOperations, open, what))];
      }
      const source = sourceOn(extra.request, connectionParams);
      const state = await chargeRequest?.(extra.request, source.credentials);
      if (state?.refusal !== undefined) {
        // A socket has no header Retry-After.
        const extensions = { code: 'RATE_LIMITED', retryAfter: state.resetsIn };
        return [new GraphQLError(state.refusal, { extensions })];
      }
      const prepared = await prepare(source, params);
      return 'errors' in prepared ? prepared.errors : prepared;
    },
  });

  const accept = (socket: WebSocket, request: IncomingMessage) => {
    const failed = (error: unknown) => {
      // The peer has vanished, which is not our failure.
      if (socket.readyState !== WebSocket.OPEN)
        return log.debug({ err: error }, 'a message could not be sent');
      log.error({ err: error }, 'a socket failed');
      socket.close(CloseCode.InternalServerError, 'Internal server error');
    };
    // A frame was too long or malformed. The close code tells the sender.
    socket.on('error', (error) => log.debug({ err: error }, 'a socket was cut'));
    const pings = startPings(socket);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) => send(socket, text),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (take) =>
          socket.on('message', (data) => {
            // A socket that is closing gets no response, so what it sent before is not executed.
            if (socket.readyState === WebSocket.OPEN) take(String(data)).catch(failed);
          }),
      },
      { socket, request },
    );
    socket.once('close', (code, reason) => {
      pings.stop();
      closed(code, String(reason)).catch(failed);
    });
  };

  server.on('upgrade', (req, socket, head) => sockets.handleUpgrade(req, socket, head, accept));
  return {
    clients: sockets.clients,
    /** Closes every socket with 1001 (going away), so that clients reconnect and resume. */
    close: () => {
      for (const socket of sockets.clients) socket.close(1001, 'Going away');
      return new Promise((closed) => sockets.close(() => closed()));
    },
  };
}

/** Terminates a peer that does not answer the ping. */
function startPings(socket: WebSocket) {
  let isAlive = true;
  socket.on('pong', () => {
    isAlive = true;
  });
  return startHeartbeat(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  });
}

/**
 * Sends a message. While the peer does not read our replies, stops reading from its socket: every message may cause a
 * reply, and they would pile up in memory.
 */
async function send(socket: WebSocket, text: string): Promise<void> {
  const { promise: sent, resolve, reject } = Promise.withResolvers<void>();
  socket.send(text, (error) => (error ? reject(error) : resolve()));
  if (socket.bufferedAmount > maxUnsentBytes) socket.pause();
  await sent;
  if (socket.bufferedAmount <= maxUnsentBytes) socket.resume();
}

/** Credentials come with a socket's first message, because a browser cannot set headers on a socket. */
function sourceOn(upgrade: IncomingMessage, connectionParams: Record<string, unknown> = {}): OperationSource {
  const headers: Record<string, string | string[] | undefined> = { ...upgrade.headers };
  // A value that is not text counts as absent. It does not fall back to the header of the upgrade request.
  for (const [name, value] of Object.entries(connectionParams))
    if (value != null) headers[name.toLowerCase()] = typeof value === 'string' ? value : undefined;
  return { headers, credentials: credentialsIn(headers), req: upgrade };
}
