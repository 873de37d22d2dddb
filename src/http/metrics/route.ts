import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { digest } from '../../access/digest.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { Gate, Route } from '../server.ts';
import type { Meters } from './meters.ts';

/** Figures tell who uses what, and how much: they are for the operator alone. */
export function metricsRoute({ registry }: Pick<Meters, 'registry'>, token: string | undefined): Route {
  return {
    method: 'GET',
    matches: (pathname) => pathname === '/metrics',
    handle: async (req, res) => {
      if (!mayRead(req, token))
        throw new GatewayError({
          code: 'UNAUTHENTICATED',
          message: token
            ? 'Send "Authorization: Bearer <METRICS_TOKEN>".'
            : 'Without METRICS_TOKEN the figures are shown to this machine only.',
        });
      const text = await registry.metrics();
      res.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text);
    },
  };
}

function mayRead(req: IncomingMessage, token: string | undefined): boolean {
  // A proxy on this machine speaks for others, and says so.
  if (token === undefined)
    return /^(::ffff:)?127\.|^::1$/.test(req.socket.remoteAddress ?? '') && !req.headers['x-forwarded-for'];
  const given = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(Buffer.from(digest(given)), Buffer.from(digest(token)));
}

const routes = ['/graphql', '/uploads', '/webhooks', '/health', '/metrics'];

/** Counts answers by route; what strangers make up is one route. */
export function requestMeter({ requests }: Pick<Meters, 'requests'>): Gate {
  return (_req, res, { pathname }) => {
    const route = routes.find((one) => pathname === one || pathname.startsWith(`${one}/`)) ?? 'other';
    res.once('close', () => requests.inc({ route, status: String(res.statusCode) }));
    return true;
  };
}
