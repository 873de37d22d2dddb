import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from './respond.ts';
import type { Gate } from './server.ts';

/**
 * What browsers are told of every answer: to take it for what it says it is, to show it in no frame of
 * another page, and to tell nobody its address. GraphiQL is one page with its scripts inside.
 */
export function securityHeaders(publicUrl: string | undefined): Gate {
  const headers = new Map([
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
    ['content-security-policy', "frame-ancestors 'none'; base-uri 'none'; object-src 'none'"],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-resource-policy', 'cross-origin'],
    // Of a gateway that clients reach by https, only.
    ...(publicUrl?.startsWith('https:') ? [['strict-transport-security', 'max-age=31536000'] as const] : []),
  ]);
  return (_req, res) => {
    res.setHeaders(headers);
    return true;
  };
}

/** What a body may take besides its length: time for a busy line to begin with it. */
const bodyMs = 30_000;
/** 400 kbit/s: slower lines exist, but not under programs that upload files with their query. */
const slowestBytesPerMs = 50;

/** Time for a refused sender to read why. */
const partingMs = 1_000;

/** Ends requests whose bodies trickle in. Uploads have hours, and the storage's own signature. */
export function slowBodies(limitMs = bodyMs): Gate {
  return (req, res, { pathname }) => {
    if (!hasBody(req) || pathname.startsWith('/uploads/')) return true;
    const patienceMs = limitMs + Number(req.headers['content-length'] ?? 0) / slowestBytesPerMs;
    const timer = setTimeout(() => {
      if (req.complete) return;
      refuseSlow(res, patienceMs);
      // To close on unread bytes would take the answer away from who has not read it yet.
      setTimeout(() => req.destroy(), partingMs).unref();
    }, patienceMs).unref();
    req.once('close', () => clearTimeout(timer));
    return true;
  };
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function refuseSlow(res: ServerResponse, limitMs: number): void {
  if (res.headersSent) return;
  const { message } = new HttpError(
    408,
    `The body did not arrive within ${Math.round(limitMs / 1000)} seconds.`,
  );
  const text = JSON.stringify({ error: { code: 'INVALID_INPUT', message } });
  res.writeHead(408, { 'content-type': 'application/json', connection: 'close' }).end(text);
}
