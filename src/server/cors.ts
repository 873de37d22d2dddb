import type { IncomingMessage } from 'node:http';
import { HttpError } from './respond.ts';
import type { Gate } from './server.ts';

const methods = 'GET, POST, PUT, DELETE, OPTIONS';
/** A browser asks again after a day at the latest, and some sooner. */
const maxAgeSeconds = '86400';
/** What a page may read of an answer beyond its body and the few headers that every page may read. */
const exposed = 'ratelimit, ratelimit-policy, retry-after, x-request-id';

/** Tells browsers which pages may read the answers, and answers their preflight questions. */
export function cors(origins: '*' | readonly string[]): Gate {
  return (req, res) => {
    const { origin } = req.headers;
    const shown =
      origins === '*' ? '*' : origin !== undefined && origins.includes(origin) ? origin : undefined;
    if (shown !== undefined && origin !== undefined) {
      res.setHeader('access-control-allow-origin', shown);
      res.setHeader('access-control-expose-headers', exposed);
    }
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return true;
    if (shown !== undefined) {
      res.setHeader('access-control-allow-methods', methods);
      res.setHeader('access-control-max-age', maxAgeSeconds);
      // Clients, tracers and proxies have headers of their own: none of them lets a page do more than it may.
      const asked = req.headers['access-control-request-headers'];
      if (asked !== undefined) res.setHeader('access-control-allow-headers', asked);
    }
    // Without a header that allows, a browser takes it for a no.
    res.writeHead(204, { vary: 'origin, access-control-request-headers' }).end();
    return false;
  };
}

/** A form of any page on the Internet can send these without asking first. */
const simpleTypes = /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)?\s*(;|$)/i;
/** A page that sets one of these has had to ask. */
const askedFor = ['authorization', 'commerce-api-key', 'issuer-address', 'apollo-require-preflight'];

/**
 * Refuses what another site's page sends behind its reader's back. No credential travels by itself here, so
 * nothing could be done in the reader's name; but the reader may be inside a network that the site is not.
 */
export function crossSite(origins: '*' | readonly string[]): Gate {
  return (req) => {
    if (req.method !== 'POST' || !simpleTypes.test(req.headers['content-type'] ?? '')) return true;
    if (askedFor.some((name) => req.headers[name] !== undefined) || !isCrossSite(req)) return true;
    if (origins !== '*' && origins.includes(req.headers.origin ?? '')) return true;
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
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== headers.host;
}
