import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from './respond.ts';
import type { Gate } from './server.ts';

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
