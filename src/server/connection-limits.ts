import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from '@srr-gateway/common/log';
import { HttpError } from '../lib/http-error.ts';
import type { Connection, Connections } from './connections.ts';
import { type GatewayResponse, type Hook, sendError } from './response.ts';

/**
 * Gives each pipelined request a turn of the event loop of its own. Dozens of them arrive in one read;
 * without this they would all be executed before another caller is served, and before unread responses are
 * checked.
 */
export function pipelining(connections: Connections): Hook {
  const turns = new WeakMap<Socket, Promise<void>>();
  return ({ socket }) => {
    const isPipelined = (connections.get(socket)?.open.size ?? 0) > 1;
    if (!isPipelined) return;
    const turn = (turns.get(socket) ?? Promise.resolve()).then(() => setImmediate());
    turns.set(socket, turn);
    return turn;
  };
}

/** One look at all connections costs less than timers for each request, and may be late by this. */
const checkMs = 1_000;

function keepChecking(server: Server, everyMs: number, check: () => void): void {
  const timer = setInterval(check, everyMs).unref();
  server.once('close', () => clearInterval(timer));
}

/** Added to the time that the length allows: on a busy line the body may start late. */
const bodyMs = 30_000;
/** 400 kbit/s. Slower lines exist, but not for programs that send files with their query. */
const slowestBytesPerMs = 50;
/** How long a refused sender has to read the refusal: closing with unread bytes resets the connection. */
const partingMs = 1_000;

/**
 * Ends requests whose body arrives too slowly. Uploads are exempt: they may take hours, and the storage's
 * signature ends them.
 */
export function limitSlowBodies(
  server: Server,
  connections: Connections,
  log: Logger,
  { limitMs = bodyMs, everyMs = checkMs } = {},
): void {
  const firstSeen = new WeakMap<GatewayResponse, number>();
  keepChecking(server, everyMs, () => {
    const now = performance.now();
    for (const connection of connections.values()) {
      const { latest: res } = connection;
      if (!res) continue;
      const { req } = res;
      // An idle connection shall not hold its last request.
      if (req.complete || req.destroyed) connection.latest = undefined;
      if (req.complete || req.url?.startsWith('/uploads/')) continue;
      const since = firstSeen.get(res) ?? now;
      firstSeen.set(res, since);
      const waitMs = limitMs + Number(req.headers['content-length'] ?? 0) / slowestBytesPerMs;
      if (now - since < waitMs) continue;
      connection.latest = undefined;
      const late = `The body did not arrive within ${Math.round(waitMs / 1000)} seconds.`;
      if (!res.headersSent) sendError(res, new HttpError(408, late, { connection: 'close' }), log);
      setTimeout(() => req.destroy(), partingMs).unref();
    }
  });
}

/** For all readers together: ten of the longest responses. In memory they take up to three times as much. */
const maxUnreadBytes = 128_000_000;

/**
 * Bounds the memory of responses that their readers do not read: a small query may have a response of many
 * megabytes, and nothing else stops a reader who asks for one on each of a few hundred connections. While the
 * total is too high, the connections that have waited longest are cut off; other readers have finished long
 * before. What can pile up between two checks is bounded by the time that it takes to produce responses.
 */
export function limitUnread(
  server: Server,
  connections: Connections,
  { maxBytes = maxUnreadBytes, everyMs = checkMs } = {},
): void {
  /** The connections on which something waits unread, in the order in which that began. */
  const waiting = new Map<Socket, number>();
  keepChecking(server, everyMs, () => {
    for (const [socket, connection] of connections) {
      const unread = unreadOn(socket, connection);
      if (unread > 0) waiting.set(socket, unread);
      else waiting.delete(socket);
    }
    let bytes = 0;
    for (const [socket, unread] of waiting)
      if (connections.has(socket)) bytes += unread;
      else waiting.delete(socket);
    for (const [socket, unread] of waiting) {
      if (bytes <= maxBytes) return;
      bytes -= unread;
      socket.destroy();
    }
  });
}

/** The response that is being sent counts what its connection holds; pipelined ones wait behind it. */
function unreadOn(socket: Socket, { open }: Connection): number {
  if (open.size === 0) return socket.writableLength;
  let bytes = 0;
  for (const { writableLength } of open) bytes += writableLength;
  return bytes;
}
