import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from '../lib/log.ts';
import { HttpError, sendError } from './respond.ts';

export interface Route {
  method: string;
  /** Whether the path is this route's; the router answers 405 when only the method is wrong. */
  matches(pathname: string): boolean;
  handle(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void>;
}

export type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

/** A slow sender of headers is cut off after this; bodies have their own limits. */
const headersTimeoutMs = 15_000;
/** An upload of 2 GB over a slow line takes hours; the storage's own signature ends sooner. */
const requestTimeoutMs = 2 * 60 * 60_000;

/** The gateway's one port: the routes, and GraphQL for every path that is theirs. */
export function createHttpServer(routes: Route[], graphql: Handler, log: Logger): Server {
  const server = createServer((req, res) => {
    // Neither a reader that left nor a socket that broke may end the process.
    res.on('error', (error) => log.debug({ err: error }, 'a response could not be sent'));
    const url = URL.canParse(req.url ?? '', 'http://gateway')
      ? new URL(req.url ?? '', 'http://gateway')
      : null;
    if (!url) return sendError(req, res, new HttpError(400, 'The request’s address cannot be read.'), log);
    // What stands behind builds addresses of it.
    if (!URL.canParse(`http://${req.headers.host ?? 'gateway'}`))
      return sendError(req, res, new HttpError(400, 'The Host header is no host.'), log);
    const there = routes.filter((route) => route.matches(url.pathname));
    if (there.length === 0) return graphql(req, res);
    const route = there.find(({ method }) => method === req.method);
    if (!route) return sendError(req, res, wrongMethod(req.method, there), log);
    route.handle(req, res, url).catch((error: unknown) => sendError(req, res, error, log));
  });
  server.headersTimeout = headersTimeoutMs;
  server.requestTimeout = requestTimeoutMs;
  return server;
}

function wrongMethod(method: string | undefined, routes: Route[]): HttpError {
  const allow = routes.map((route) => route.method).join(', ');
  return new HttpError(405, `This address takes ${allow}, not ${method}.`, { allow });
}
