import type { IncomingMessage } from 'node:http';
import { HttpError } from '../lib/http-error.ts';
import type { Hook } from './response.ts';

const methods = 'GET, POST, PUT, DELETE';
/** Lifetime of a preflight result: a day. Some browsers cap it lower. */
const maxAgeSeconds = '86400';
/** Response headers that a page may read besides those that every page may read. */
const exposed =
  'cache-status, content-range, etag, link, location, ratelimit, ratelimit-policy, retry-after, x-request-id';

/** Tells browsers which pages may read responses, and answers their preflight requests. */
export function cors(origins: '*' | readonly string[]): Hook {
  return (req, res) => {
    const { origin } = req.headers;
    // A shared cache must not give one page's allow-origin header to another page.
    if (origins !== '*') res.add('vary', 'origin');
    // A cache may reuse the response to a GET without an origin, such as that of an <img>, for a page that sends one.
    const mayBeRead = origin !== undefined || req.method === 'GET';
    const allowed = origins === '*' ? mayBeRead && '*' : origins.find((one) => one === origin);
    if (allowed) res.add('access-control-allow-origin', allowed, 'access-control-expose-headers', exposed);
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return;
    if (allowed) {
      res.add('access-control-allow-methods', methods, 'access-control-max-age', maxAgeSeconds);
      // Allow every requested header: clients, tracers and proxies add their own, and none gives a page more rights.
      res.add('access-control-allow-headers', req.headers['access-control-request-headers'] ?? '');
    }
    // Without an allow-origin header the browser treats this as a refusal.
    res.writeHead(204, { vary: 'origin, access-control-request-headers' }).end();
  };
}

/** Content types that a form on any page can send without a preflight request. */
const simpleTypes = /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)?\s*(;|$)/i;
/** Headers that a page can only set after a preflight request. */
const preflightHeaders = ['authorization', 'commerce-api-key', 'apollo-require-preflight'];

/**
 * Refuses forms that a page of another site submits (CSRF). Browsers send no credentials automatically, so such a
 * form cannot act for its reader; but the reader may be inside a network that the site cannot reach.
 */
export function crossSite(origins: '*' | readonly string[]): Hook {
  return (req) => {
    if (req.method !== 'POST' || !simpleTypes.test(req.headers['content-type'] ?? '')) return;
    if (preflightHeaders.some((name) => req.headers[name] !== undefined) || !isCrossSite(req)) return;
    if (origins !== '*' && origins.includes(req.headers.origin ?? '')) return;
    throw new HttpError(
      403,
      'A form of another site sent this. Send application/json, or the header apollo-require-preflight.',
    );
  };
}

function isCrossSite({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  return origin !== undefined && (URL.parse(origin)?.host ?? '') !== headers.host;
}

/**
 * Why a page may not open a WebSocket; undefined when it may. Browsers let any page open one and read from it, so the
 * server must check the origin.
 */
export function socketOrigins(origins: '*' | readonly string[], publicUrl: string | undefined) {
  return ({ headers: { origin, host } }: IncomingMessage): string | undefined => {
    if (origins === '*' || origin === undefined || origins.includes(origin)) return undefined;
    const caller = URL.parse(origin)?.host ?? 'null';
    // GraphiQL is a page of the gateway itself. Behind a proxy its host may not be that of the Host header.
    if (caller === host || caller === URL.parse(publicUrl ?? '')?.host) return undefined;
    return 'Pages of this origin may not call the gateway (CORS_ORIGINS).';
  };
}

/**
 * Tells browsers not to guess content types, not to show responses in a frame of another page, and not to
 * pass on the address. It restricts no scripts: GraphiQL is one page with inline scripts.
 */
export function securityHeaders(publicUrl: string | undefined): Hook {
  const headers = Object.entries({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'content-security-policy': "frame-ancestors 'none'; base-uri 'none'; object-src 'none'",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'cross-origin',
    // Only when clients reach the gateway by https.
    ...(publicUrl?.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  }).flat();
  return (_req, res) => {
    // Shared by all responses, not copied.
    res.common = headers;
  };
}
