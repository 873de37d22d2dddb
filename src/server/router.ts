import type { IncomingMessage, ServerResponse } from 'node:http';
import { runWith } from '@srr-gateway/common/async-context';
import type { Span } from '@srr-gateway/common/tracing/span';
import { HttpError } from '../lib/http-error.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { requestIdOf } from '../lib/request-id.ts';
import { withSpan } from '../observability/trace.ts';

/**
 * Runs before the route of each request. One that answers the request ends it there.
 * @throws to refuse it.
 */
export type Hook = (req: IncomingMessage, res: ServerResponse, url: URL) => MaybePromise<void>;

/** Answers a request; rejects to refuse it. */
export type Handler = (req: IncomingMessage, res: ServerResponse, url: URL) => Promise<void> | void;

/** A method and path of the gateway outside GraphQL. */
export interface Route {
  method: string;
  /** A whole path, or one that ends in `/*` for all paths below it. */
  path: string;
  /** Name of its span in traces; absent: not traced, because nobody needs a span for each health probe. */
  span?: string;
  handle: Handler;
}

/** Finds the route of a request. GraphQL has its own handler, for all methods. */
export function createRouter(graphql: { path: string; handle: Handler }, routes: Route[]): Handler {
  const belongs = ({ path }: Route, pathname: string) =>
    path.endsWith('/*') ? pathname.startsWith(path.slice(0, -1)) : pathname === path;
  return (req, res, url) => {
    if (url.pathname === graphql.path) return graphql.handle(req, res, url);
    const there = routes.filter((route) => belongs(route, url.pathname));
    if (there.length === 0) throw notFound(url.pathname, graphql.path);
    // Node omits the body of a response to HEAD by itself.
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    const route = there.find((one) => one.method === method);
    if (!route) throw methodNotAllowed(req.method, there);
    return runWith({ requestId: requestIdOf(res) }, () => traced(route, req, res, url));
  };
}

function traced(route: Route, ...asked: Parameters<Handler>): Promise<void> | void {
  if (route.span === undefined) return route.handle(...asked);
  const { traceparent } = asked[0].headers;
  const span: Span = {
    name: `${route.method} ${route.span}`,
    kind: 'SERVER',
    attributes: { 'http.request.method': route.method, 'http.route': route.span },
    caller: typeof traceparent === 'string' ? traceparent : undefined,
  };
  return withSpan(span, async () => route.handle(...asked));
}

function notFound(path: string, graphql: string): HttpError {
  // Probes are often configured with another program's path first.
  const there = path.startsWith('/health')
    ? 'a probe asks /health/live or /health/ready'
    : `GraphQL is at ${graphql}`;
  return new HttpError(404, `There is nothing at ${path.slice(0, 100)}; ${there}.`);
}

function methodNotAllowed(method: string | undefined, routes: Route[]): HttpError {
  const allow = routes.map((route) => route.method).join(', ');
  return new HttpError(405, `This address takes ${allow}, not ${method}.`, { allow });
}
