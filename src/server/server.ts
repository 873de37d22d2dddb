import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Logger } from '@srr-gateway/common/log';
import { LRUCache } from 'lru-cache';
import { HttpError } from '../lib/http-error.ts';
import { after, type MaybePromise } from '../lib/maybe-promise.ts';
import { nameRequest } from '../lib/request-id.ts';
import { cors, crossSite, securityHeaders } from './browser-security.ts';
import { compression } from './compression.ts';
import { bodyTimeout, limitUnread, pipelining } from './connection-limits.ts';
import { OpenResponses } from './open-responses.ts';
import { type RateLimitOptions, rateLimit } from './rate-limit.ts';
import { sendError } from './respond.ts';
import { createRouter, type Handler, type Hook, type Route } from './router.ts';

/** What the server answers, and how its hooks are configured. */
export interface ServerOptions {
  graphql: { path: string; handle: Handler };
  routes: Route[];
  publicUrl: string | undefined;
  corsOrigins: '*' | readonly string[];
  /** Absent: no caller is limited. */
  rateLimit: RateLimitOptions | undefined;
  limitStreams: Hook;
  countRequests: Hook;
  log: Logger;
}

const settings = {
  /** Credentials and a long accept-language take a quarter of it. */
  maxHeaderSize: 16_384,
  /** How often Node checks connections against the two time-outs: a slow sender gains this much at most. */
  connectionsCheckingInterval: 5_000,
  /** Cuts off clients that send headers slowly; bodies have their own limits. */
  headersTimeout: 15_000,
  /** An upload of 2 GB over a slow line takes hours; the storage's signature expires sooner. */
  requestTimeout: 2 * 60 * 60_000,
  /** Some clients offer HTTP/2 upgrades on every plain connection. Answer them as if they had not. */
  shouldUpgradeCallback: ({ headers }: IncomingMessage) => /^websocket$/i.test(headers.upgrade ?? ''),
};
/** Far more than any browser or proxy sends. */
const maxHeaders = 100;

/** Creates the gateway's one HTTP server. Not listening yet. */
export function createHttpServer(options: ServerOptions): { server: Server; open: OpenResponses } {
  const { graphql, routes, corsOrigins, log } = options;
  const server = createServer(settings);
  server.maxHeadersCount = maxHeaders;
  const open = new OpenResponses(server);
  limitUnread(server, open);
  const hooks = [
    options.countRequests,
    securityHeaders(options.publicUrl),
    compression,
    cors(corsOrigins),
    crossSite(corsOrigins),
    ...(options.rateLimit ? [rateLimit(options.rateLimit)] : []),
    options.limitStreams,
    bodyTimeout(log),
    pipelining(open),
  ];
  server.on('request', requestListener(hooks, createRouter(graphql, [home(graphql), ...routes]), log));
  return { server, open };
}

/** Redirects a person who opens the bare address to GraphiQL. */
const home = ({ path }: { path: string }): Route => ({
  method: 'GET',
  path: '/',
  handle: (_req, res) => void res.writeHead(302, { location: path }).end(),
});

const plain = new URL('http://gateway/graphql');

/** The hosts of a few deployments and of their probes; anything else is read each time. */
const hosts = new LRUCache<string, true>({ max: 100 });

function isHost(host = 'gateway'): boolean {
  if (hosts.has(host)) return true;
  if (!URL.canParse(`http://${host}`)) return false;
  hosts.set(host, true);
  return true;
}

/** Takes each request through the hooks, in order, and then to its route. */
export function requestListener(hooks: Hook[], route: Handler, log: Logger): RequestListener {
  return (req, res) => {
    const requestId = nameRequest(req, res);
    // Without a listener this error would end the process, when a client leaves or a socket breaks.
    res.on('error', (error) => log.debug({ err: error, requestId }, 'a response could not be sent'));
    const refuse = (error: unknown) => sendError(req, res, error, log);
    // Nearly every request has this address, so it is read once.
    const url = req.url === plain.pathname ? plain : URL.parse(req.url ?? '', 'http://gateway');
    if (!url) return refuse(new HttpError(400, 'The request’s address cannot be read.'));
    // Later code builds URLs from the Host header and would throw.
    if (!isHost(req.headers.host)) return refuse(new HttpError(400, 'The Host header is no host.'));
    const answer = (passed: boolean) => (passed ? route(req, res, url) : undefined);
    try {
      const passed = pass(hooks, req, res, url);
      if (passed instanceof Promise) passed.then(answer).catch(refuse);
      else answer(passed)?.catch(refuse);
    } catch (error) {
      refuse(error);
    }
  };
}

/** False when a hook has answered. Synchronous when none has to wait, as most do not. */
function pass(
  hooks: Hook[],
  req: IncomingMessage,
  res: ServerResponse,
  url: URL,
  from = 0,
): MaybePromise<boolean> {
  const hook = hooks[from];
  if (!hook) return true;
  return after(hook(req, res, url), () => {
    // A caller that left during an asynchronous hook would never be uncounted by the next one.
    if (res.writableEnded || res.destroyed || req.socket.destroyed) return false;
    return pass(hooks, req, res, url, from + 1);
  });
}
