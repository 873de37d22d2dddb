import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from '@srr-gateway/common/log';
import { HttpError } from '../lib/http-error.ts';
import type { OpenResponses } from './open-responses.ts';
import { sendError } from './respond.ts';
import type { Hook } from './router.ts';

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
export function bodyTimeout(log: Logger, limitMs = bodyMs): Hook {
  return (req, res, { pathname }) => {
    if (!hasBody(req) || pathname.startsWith('/uploads/')) return;
    const waitMs = limitMs + Number(req.headers['content-length'] ?? 0) / slowestBytesPerMs;
    const timer = setTimeout(() => {
      if (req.complete) return;
      const late = `The body did not arrive within ${Math.round(waitMs / 1000)} seconds.`;
      if (!res.headersSent) sendError(req, res, new HttpError(408, late, { connection: 'close' }), log);
      setTimeout(() => req.destroy(), partingMs).unref();
    }, waitMs).unref();
    req.once('close', () => clearTimeout(timer));
  };
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Gives each pipelined request a turn of the event loop of its own. Dozens of them arrive in one read;
 * without this they would all be executed before another caller is served, and before unread responses are
 * checked.
 */
export function pipelining({ byConnection }: OpenResponses): Hook {
  const turns = new WeakMap<Socket, Promise<void>>();
  return ({ socket }) => {
    const isPipelined = (byConnection.get(socket)?.size ?? 0) > 1;
    if (!isPipelined) return;
    const turn = (turns.get(socket) ?? Promise.resolve()).then(() => setImmediate());
    turns.set(socket, turn);
    return turn;
  };
}

/** For all readers together: ten of the longest responses. In memory they take up to three times as much. */
const maxUnreadBytes = 128_000_000;
/** What can pile up between two checks is bounded by the time that it takes to produce responses. */
const checkMs = 1_000;

/**
 * Bounds the memory of responses that their readers do not read: a small query may have a response of many
 * megabytes, and nothing else stops a reader who asks for one on each of a few hundred connections. While the
 * total is too high, the connections that have waited longest are cut off; other readers have finished long
 * before.
 */
export function limitUnread(
  server: Server,
  { byConnection }: OpenResponses,
  { maxBytes = maxUnreadBytes, everyMs = checkMs } = {},
): void {
  /** The number of the check since which something has waited unread on a connection. */
  const waitingSince = new WeakMap<Socket, number>();
  let checks = 0;
  const check = () => {
    checks++;
    let bytes = 0;
    const waiting: { socket: Socket; since: number; unread: number }[] = [];
    for (const [socket, responses] of byConnection) {
      const unread = unreadOn(socket, responses);
      if (unread === 0) {
        waitingSince.delete(socket);
        continue;
      }
      const since = waitingSince.get(socket) ?? checks;
      waitingSince.set(socket, since);
      bytes += unread;
      waiting.push({ socket, since, unread });
    }
    for (const { socket, unread } of waiting.sort((a, b) => a.since - b.since)) {
      if (bytes <= maxBytes) return;
      bytes -= unread;
      socket.destroy();
    }
  };
  const timer = setInterval(check, everyMs).unref();
  server.once('close', () => clearInterval(timer));
}

/** The response that is being sent counts what its connection holds; pipelined ones wait behind it. */
function unreadOn(socket: Socket, responses: Set<ServerResponse>): number {
  if (responses.size === 0) return socket.writableLength;
  let bytes = 0;
  for (const { writableLength } of responses) bytes += writableLength;
  return bytes;
}
