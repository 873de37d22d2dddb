import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '../lib/http-error.ts';
import type { Gate } from './server.ts';

/** Added to the time that the length allows: on a busy line the body may start late. */
const bodyMs = 30_000;
/** 400 kbit/s. Slower lines exist, but not for programs that send files with their query. */
const slowestBytesPerMs = 50;

/** How long a refused sender has to read the refusal. */
const partingMs = 1_000;

/**
 * Ends requests whose body arrives too slowly. Uploads are exempt: they may take hours, and the storage's
 * signature ends them.
 */
export function slowBodies(limitMs = bodyMs): Gate {
  return (req, res, { pathname }) => {
    if (!hasBody(req) || pathname.startsWith('/uploads/')) return true;
    const patienceMs = limitMs + Number(req.headers['content-length'] ?? 0) / slowestBytesPerMs;
    const timer = setTimeout(() => {
      if (req.complete) return;
      refuseSlow(res, patienceMs);
      // Closing with unread bytes resets the connection, and the client would lose the response.
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
