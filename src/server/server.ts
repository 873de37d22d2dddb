import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { runWith } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import type { Span } from '@srr-gateway/common/tracing/span';
import { HttpError } from '../lib/http-error.ts';
import { after, type MaybePromise } from '../lib/maybe-promise.ts';
import { nameRequest, requestIdOf } from '../lib/request-id.ts';
import { withSpan } from '../observability/trace.ts';
import { sendError } from './respond.ts';

/** A method and path of the gateway outside GraphQL. */
export interface Route {
  method: string;
  /** Name of its span in traces; absent: not traced, because nobody needs a span for each health probe. */
  span?: string;
  /** Whether the path belongs to this route. When only the method is wrong the server answers 405. */
  matches(pathname: string): boolean;
  handle(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void>;
}

/** Answers a request; rejects to refuse it. */
export type Handler = (req: IncomingMessage, res: ServerResponse, url: URL) => Promise<void> | void;

/**
 * Runs before the route of each request; false when it has answered the request itself.
 * @throws to refuse it.
 */
export type Gate = (req: IncomingMessage, res: ServerResponse, url: URL) => MaybePromise<boolean>;

/** Credentials and a long accept-language take a quarter of it. */
const maxHeaderBytes = 16_384;
/** Far more than any browser or proxy sends. */
const maxHeaders = 100;
/** How often Node checks connections against the two time-outs: a slow sender gains this much at most. */
const checkMs = 5_000;
/** Cuts off clients that send headers slowly; bodies have their own limits. */
const headersTimeoutMs = 15_000;
/** An upload of 2 GB over a slow line takes hours; the storage's signature expires sooner. */
const requestTimeoutMs = 2 * 60 * 60_000;

/** The gateway's one HTTP server: GraphQL at its path, and the other routes. Not listening yet. */
export function createHttpServer(
  routes: Route[],
  graphql: { path: string; handle: Handler },
  gates: Gate[],
  log: Logger,
): Server {
  const settings = {
    maxHeaderSize: maxHeaderBytes,
    connectionsCheckingInterval: checkMs,
    // Some clients offer HTTP/2 upgrades on every plain connection. Answer them as if they had not.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => /^websocket$/i.test(headers.upgrade ?? ''),
  };
  const server = createServer(settings, (req, res) => {
    const requestId = nameRequest(req, res);
    // Without a listener this error would end the process, when a client leaves or a socket breaks.
    res.on('error', (error) => log.debug({ err: error, requestId }, 'a response could not be sent'));
    const url = URL.canParse(req.url ?? '', 'http://gateway')
      ? new URL(req.url ?? '', 'http://gateway')
      : null;
    if (!url) return sendError(req, res, new HttpError(400, 'The request’s address cannot be read.'), log);
    // Later code builds URLs from the Host header and would throw.
    if (!URL.canParse(`http://${req.headers.host ?? 'gateway'}`))
      return sendError(req, res, new HttpError(400, 'The Host header is no host.'), log);
    const refuse = (error: unknown) => sendError(req, res, error, log);
    try {
      const passed = pass(gates, req, res, url);
      if (passed instanceof Promise) passed.then((through) => through && answer(req, res, url), refuse);
      else if (passed) answer(req, res, url);
    } catch (error) {
      refuse(error);
    }
  });
  const answer = (req: IncomingMessage, res: ServerResponse, url: URL) => {
    if (url.pathname === graphql.path)
      return void graphql.handle(req, res, url)?.catch((error: unknown) => sendError(req, res, error, log));
    const there = routes.filter((route) => route.matches(url.pathname));
    if (there.length === 0) return sendError(req, res, nothingAt(url.pathname, graphql.path), log);
    // Node omits the body of a response to HEAD by itself.
    const asked = req.method === 'HEAD' ? 'GET' : req.method;
    const route = there.find(({ method }) => method === asked);
    if (!route) return sendError(req, res, wrongMethod(req.method, there), log);
    runWith({ requestId: requestIdOf(res) }, () =>
      handled(route, req, res, url).catch((error: unknown) => sendError(req, res, error, log)),
    );
  };
  server.maxHeadersCount = maxHeaders;
  server.headersTimeout = headersTimeoutMs;
  server.requestTimeout = requestTimeoutMs;
  return server;
}

/** Runs the gates in order. Synchronous when none has to wait, as most do not. */
function pass(
  gates: Gate[],
  req: IncomingMessage,
  res: ServerResponse,
  url: URL,
  from = 0,
): MaybePromise<boolean> {
  const gate = gates[from];
  if (!gate) return true;
  return after(gate(req, res, url), (through) => {
    // A caller that left during an asynchronous gate would never be uncounted by the next one.
    if (!through || res.destroyed) return false;
    return pass(gates, req, res, url, from + 1);
  });
}

function handled(route: Route, req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
  if (route.span === undefined) return route.handle(req, res, url);
  const { traceparent } = req.headers;
  const span: Span = {
    name: `${route.method} ${route.span}`,
    kind: 'SERVER',
    attributes: { 'http.request.method': route.method, 'http.route': route.span },
    caller: typeof traceparent === 'string' ? traceparent : undefined,
  };
  return withSpan(span, () => route.handle(req, res, url));
}

function nothingAt(path: string, graphql: string): HttpError {
  // Probes are often configured with another program's path first.
  const there = path.startsWith('/health')
    ? 'a probe asks /health/live or /health/ready'
    : `GraphQL is at ${graphql}`;
  return new HttpError(404, `There is nothing at ${path.slice(0, 100)}; ${there}.`);
}

function wrongMethod(method: string | undefined, routes: Route[]): HttpError {
  const allow = routes.map((route) => route.method).join(', ');
  return new HttpError(405, `This address takes ${allow}, not ${method}.`, { allow });
}
