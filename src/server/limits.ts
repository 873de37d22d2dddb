import type { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from '@srr-gateway/common/log';
import { callerAddress } from '../access/caller-address.ts';
import { type ChargeRequest, rateHeaders } from '../access/caller-budget.ts';
import { credentialsOf } from '../access/request-credentials.ts';
import { isRestPath } from '../lib/error-body.ts';
import { HttpError } from '../lib/http-error.ts';
import { after } from '../lib/maybe-promise.ts';
import { graphqlPath } from '../lib/operation-params.ts';
import type { Connections } from './connections.ts';
import { type GatewayResponse, type Hook, sendError } from './response.ts';

/**
 * Limits how often one caller sends requests, and reports what is left (draft-ietf-httpapi-ratelimit-headers).
 * Webhook deliveries and probes are not counted, because their senders cannot slow down, nor pictures, whose number at
 * once is limited where they are made.
 */
export function rateLimit(chargeRequest: ChargeRequest): Hook {
  return (req, res, { pathname }) => {
    const isCounted = [graphqlPath, '/mcp'].includes(pathname) || pathname.startsWith('/uploads/');
    if (!isCounted && !isRestPath(pathname)) return;
    return after(chargeRequest(req, credentialsOf(req)), (state) => {
      if (!state) return;
      const { refusal, resetsIn } = state;
      res.add(...rateHeaders('minute', state));
      if (refusal === undefined) return;
      const wait = { 'retry-after': String(resetsIn) };
      throw new HttpError(429, refusal, wait, 'RATE_LIMITED', { retryAfter: resetsIn });
    });
  };
}

/**
 * Limits the open event streams and sockets of one address, because each takes memory while it is open. Not of one
 * issuer: all readers of a front end may use its token. The returned function counts one until `end` emits `close`,
 * and returns a reason if it is refused.
 */
export function streamLimit(max: number, trustedProxies: number) {
  const open = new Map<string, number>();
  return (req: IncomingMessage, end: EventEmitter): string | undefined => {
    const address = callerAddress(req, trustedProxies);
    if (address === undefined) return undefined;
    const held = open.get(address) ?? 0;
    if (held >= max)
      return `This address has ${held} event streams and sockets open, and may have ${max} (MAX_STREAMS).`;
    open.set(address, held + 1);
    end.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
    return undefined;
  };
}

/**
 * Defers each pipelined request to its own turn of the event loop. Otherwise dozens that arrive in one read would all
 * be executed before another caller is served, and before unread responses are checked.
 */
export function pipelining(connections: Connections): Hook {
  const turns = new WeakMap<Socket, Promise<void>>();
  return ({ socket }) => {
    if ((connections.responses.get(socket)?.size ?? 0) < 2) return;
    const turn = (turns.get(socket) ?? Promise.resolve()).then(() => setImmediate());
    turns.set(socket, turn);
    return turn;
  };
}

/** Grace period beside the time that the length allows: on a busy line the body may start late. */
const bodyMs = 30_000;
/** 400 kbit/s. Slower lines exist, but programs that send files with a query do not use them. */
const slowestBytesPerMs = 50;
/** The longest delay of a Node timer. */
const maxTimerMs = 2 ** 31 - 1;
/** How long a refused sender has to read the response: closing with unread bytes resets the connection. */
const lingerMs = 1_000;

/**
 * Ends requests whose body arrives too slowly. Uploads are exempt: a large one may take the two hours that the server's
 * `requestTimeout` allows.
 */
export function limitSlowBodies(log: Logger, limitMs = bodyMs): Hook {
  return (req, res, { pathname }) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
    if ((length ?? encoding) === undefined || pathname.startsWith('/uploads/')) return;
    const waitMs = Math.min(limitMs + Math.ceil(Number(length ?? 0) / slowestBytesPerMs), maxTimerMs);
    const timer = setTimeout(() => {
      if (req.complete) return;
      const late = `The body did not arrive within ${Math.round(waitMs / 1000)} seconds.`;
      sendError(res, new HttpError(408, late, { connection: 'close' }), log);
      setTimeout(() => req.destroy(), lingerMs).unref();
    }, waitMs).unref();
    // The body is complete, or its sender is gone.
    req.once('close', () => clearTimeout(timer));
  };
}

/** How often the unread bytes are counted. */
const checkMs = 1_000;
/** For all connections together: ten of the longest responses. In memory they take up to three times as much. */
const maxUnreadBytes = 128_000_000;

/**
 * Bounds the memory of unread responses: a small query may have a response of many megabytes, and nothing else stops
 * a caller who requests one on each of a few hundred connections. While the total is too high, closes the connections
 * that have been unread longest; honest readers have finished long before. How much piles up between two checks is
 * bounded by the time that it takes to produce responses.
 */
export function limitUnread(
  server: Server,
  connections: Connections,
  { maxBytes = maxUnreadBytes, everyMs = checkMs } = {},
): void {
  /** Connections with unread bytes, those that have waited longest first. */
  const waiting = new Map<Socket, number>();
  const timer = setInterval(() => {
    for (const [socket, open] of connections.responses) {
      const unread = unreadOn(socket, open);
      if (unread > 0) waiting.set(socket, unread);
      else waiting.delete(socket);
    }
    let bytes = 0;
    for (const [socket, unread] of waiting)
      if (connections.responses.has(socket)) bytes += unread;
      else waiting.delete(socket);
    for (const [socket, unread] of waiting) {
      if (bytes <= maxBytes) return;
      bytes -= unread;
      socket.destroy();
    }
  }, everyMs).unref();
  server.once('close', () => clearInterval(timer));
}

/** The bytes that a connection holds: those of the response being sent, and of pipelined ones behind it. */
const unreadOn = (socket: Socket, open: ReadonlySet<GatewayResponse>): number =>
  open.size === 0 ? socket.writableLength : [...open].reduce((sum, res) => sum + res.writableLength, 0);

/** Reserved for the database's pool, the connections to the sources, and the cache files. */
const ownFiles = 256;
/** A flood of callers logs one line in this time. */
const reportMs = 5_000;

/** The process's limit of open files and connections; undefined where the system does not tell. */
function maxOpenFiles(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/**
 * Keeps callers from taking the last file descriptors, which running work needs for the database and the service.
 * Connections beyond the limit are closed at once, so that a balancer tries another replica.
 */
export function limitConnections(server: Server, log: Logger, maxOpen = maxOpenFiles()): void {
  if (maxOpen === undefined) return;
  server.maxConnections = Math.max(maxOpen - ownFiles, Math.floor(maxOpen / 2));
  let refused = 0;
  server.on('drop', () => {
    refused++;
    if (refused > 1) return;
    setTimeout(() => {
      log.warn(
        { refused, maxConnections: server.maxConnections, maxOpenFiles: maxOpen },
        'connections were refused: as many are open as the limit of open files allows (ulimit -n)',
      );
      refused = 0;
    }, reportMs).unref();
  });
}
