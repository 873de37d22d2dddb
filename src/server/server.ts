import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { runWith } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import type { ChargeRequest } from '../access/caller-budget.ts';
import { restPaths } from '../lib/error-body.ts';
import { HttpError } from '../lib/http-error.ts';
import { requestIdOf } from '../lib/http-request-id.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { graphqlPath } from '../lib/operation-params.ts';
import { parseRequestUrl } from '../lib/request-url.ts';
import { publish } from '../observability/telemetry.ts';
import { requestSpan, withSpan } from '../observability/trace.ts';
import { cors, crossSite, securityHeaders } from './browser-security.ts';
import { Connections } from './connections.ts';
import { limitConnections, limitSlowBodies, limitUnread, pipelining, rateLimit } from './limits.ts';
import { GatewayResponse, type Hook, sendError } from './response.ts';

/** Answers a request; rejects to refuse it. */
export type Handler = (req: IncomingMessage, res: ServerResponse, url: URL) => MaybePromise<void>;

/** A method and path of the gateway outside GraphQL. */
export interface Route {
  method: string;
  /** A whole path, or one that ends in `/*` for all paths below it. */
  path: string;
  /** Name of its span in traces. Absent: not traced, as for health probes, which would hide the other spans. */
  span?: string;
  handle: Handler;
}

/** The server's routes, and the settings of its hooks. */
export interface ServerOptions {
  graphql: Handler;
  routes: Route[];
  publicUrl: string | undefined;
  corsOrigins: '*' | readonly string[];
  /** Absent: no caller is limited. */
  chargeRequest: ChargeRequest | undefined;
  log: Logger;
}

const settings = {
  ServerResponse: GatewayResponse,
  /** Credentials and a long accept-language take a quarter of it. */
  maxHeaderSize: 16_384,
  /** How often Node enforces the two time-outs: a slow sender gains this much at most. */
  connectionsCheckingInterval: 5_000,
  /** Cuts off clients that send headers slowly; bodies have their own limits. */
  headersTimeout: 15_000,
  /**
   * Longer than balancers keep an idle connection, usually 60 s. With Node's 5 s a balancer may send a request on a
   * connection that is being closed, and the caller of a mutation gets a 502.
   */
  keepAliveTimeout: 75_000,
  /** An upload of 2 GB takes this long over a line of 2.4 Mbit/s. `limitSlowBodies` ends other requests sooner. */
  requestTimeout: 2 * 60 * 60_000,
  /** Some clients offer an HTTP/2 upgrade on every plain connection. Ignore it. */
  shouldUpgradeCallback: ({ headers }: IncomingMessage) => /^websocket$/i.test(headers.upgrade ?? ''),
};
/** Far more than any browser or proxy sends. */
const maxHeaders = 100;

/** Creates the gateway's HTTP server, which does not listen yet. */
export function createHttpServer(options: ServerOptions): { server: Server; connections: Connections } {
  const { graphql, routes, corsOrigins, log } = options;
  const server = createServer(settings);
  server.maxHeadersCount = maxHeaders;
  const connections = new Connections(server);
  limitUnread(server, connections);
  limitConnections(server, log);
  const hooks = [
    connections.track((pathname, status) => publish('request', { route: labelOf(pathname), status })),
    // Before any hook that answers: a body may still arrive after the answer.
    limitSlowBodies(log),
    securityHeaders(options.publicUrl),
    cors(corsOrigins),
    crossSite(corsOrigins),
    ...(options.chargeRequest ? [rateLimit(options.chargeRequest)] : []),
    pipelining(connections),
  ];
  server.on('request', requestListener([...hooks, createRouter(graphql, [home, ...routes])], log));
  return { server, connections };
}

const labels = [
  graphqlPath,
  '/mcp',
  ...restPaths,
  '/uploads',
  '/pictures',
  '/webhooks',
  '/health',
  '/metrics',
];

/** The name of a path in metrics. Unknown paths share one, so that strangers cannot create new ones. */
const labelOf = (pathname: string): string =>
  labels.find((one) => pathname === one || pathname.startsWith(`${one}/`)) ?? 'other';

/** Redirects `/` to GraphiQL, by a relative path, so that it also works behind a proxy below a path. */
const home: Route = {
  method: 'GET',
  path: '/',
  handle: (_req, res) => void res.writeHead(302, { location: graphqlPath.slice(1) }).end(),
};

const graphqlUrl = new URL(graphqlPath, 'http://gateway');

/** Runs the hooks of each request in order; the last one is its route. */
export function requestListener(hooks: Hook[], log: Logger) {
  return (req: IncomingMessage, res: GatewayResponse): void => {
    // Without a listener an error of a broken socket would end the process.
    res.on('error', (error) =>
      log.debug({ err: error, requestId: requestIdOf(res) }, 'a response could not be sent'),
    );
    const refuse = (error: unknown) => sendError(res, error, log);
    try {
      // Nearly every request has this address, so it is read once.
      const url = req.url === graphqlPath ? graphqlUrl : parseRequestUrl(req.url ?? '');
      if (!url) throw new HttpError(400, 'The request’s address cannot be read.');
      // Later code builds URLs from the Host header and would throw.
      if (!URL.canParse(`http://${req.headers.host ?? 'gateway'}`))
        throw new HttpError(400, 'The Host header is no host.');
      const passed = runWith({ requestId: requestIdOf(res) }, () => pass(hooks, req, res, url));
      if (passed instanceof Promise) passed.catch(refuse);
    } catch (error) {
      refuse(error);
    }
  };
}

/** Stops at the hook that answers. Synchronous unless a hook has to wait. */
function pass(hooks: Hook[], req: IncomingMessage, res: GatewayResponse, url: URL): MaybePromise<void> {
  for (let i = 0; i < hooks.length; i++) {
    // If the caller left during an asynchronous hook, `close` has fired already, and the next hook would count it for
    // ever.
    if (res.writableEnded || req.socket.destroyed) return;
    const waiting = hooks[i]?.(req, res, url);
    if (waiting instanceof Promise) return waiting.then(() => pass(hooks.slice(i + 1), req, res, url));
  }
}

/** Finds the route of a request. GraphQL has its own handler, for all methods. */
export function createRouter(graphql: Handler, routes: Route[]): Handler {
  return (req, res, url) => {
    const { pathname } = url;
    if (pathname === graphqlPath) return graphql(req, res, url);
    const there = routes.filter(({ path }) =>
      path.endsWith('/*') ? pathname.startsWith(path.slice(0, -1)) : pathname === path,
    );
    if (there.length === 0) throw notFound(pathname);
    // Node omits the body of a response to HEAD by itself.
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    const route = there.find((one) => one.method === method);
    if (!route) {
      const takes = there.flatMap((one) => (one.method === 'GET' ? ['GET', 'HEAD'] : one.method)).join(', ');
      throw new HttpError(405, `This address takes ${takes}, not ${req.method}.`, { allow: takes });
    }
    const { span, handle } = route;
    const answer = () => handle(req, res, url);
    if (span === undefined) return answer();
    return withSpan(requestSpan(route.method, span, req.headers.traceparent), async () => answer());
  };
}

function notFound(path: string): HttpError {
  // Probes are often misconfigured with the path of another program.
  const there = path.startsWith('/health')
    ? 'a probe asks /health/live or /health/ready'
    : `GraphQL is at ${graphqlPath}`;
  return new HttpError(404, `There is nothing at ${path.slice(0, 100)}; ${there}.`);
}
