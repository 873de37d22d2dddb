import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { digest } from '../../access/digest.ts';
import { credentialsOf } from '../../access/request-credentials.ts';
import { GatewayError } from '../../model/errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { sendText } from '../respond.ts';
import type { Hook, Route } from '../router.ts';

/** `GET /metrics`, for the operator only: metrics reveal who uses the gateway and how much. */
export function metricsRoute(
  { registry }: Pick<Metrics, 'registry'>,
  { token, host }: { token: string | undefined; host: string },
): Route {
  return {
    method: 'GET',
    path: '/metrics',
    handle: async (req, res) => {
      if (token === undefined ? !isHere(req, host) : !bears(req, token))
        throw new GatewayError({
          code: 'UNAUTHENTICATED',
          message: token
            ? 'Send "Authorization: Bearer <METRICS_TOKEN>".'
            : 'Without METRICS_TOKEN the metrics are shown to this machine only.',
        });
      const text = await registry.metrics();
      res.setHeader('cache-control', 'no-store');
      sendText(res, 200, registry.contentType, text);
    },
  };
}

const forwarding = ['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'];

/** Whether a program on this machine sent the request, and addressed it to this machine. */
function isHere({ socket, headers }: IncomingMessage, host: string): boolean {
  if (!/^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '')) return false;
  // A proxy on this machine forwards for others, and most say so in one of these.
  if (forwarding.some((name) => headers[name] !== undefined)) return false;
  // DNS rebinding: a page in a browser on this machine can point its own name here and would read the
  // response.
  const { hostname } = new URL(`http://${headers.host ?? 'localhost'}`);
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) || hostname === host;
}

function bears(req: IncomingMessage, token: string): boolean {
  const presented = credentialsOf(req);
  const given = presented.kind === 'authorization' ? presented.token?.digest : undefined;
  return given !== undefined && timingSafeEqual(Buffer.from(given), Buffer.from(digest(token)));
}

const routes = ['/graphql', '/uploads', '/webhooks', '/health', '/metrics'];

/** Counts responses by route. Unknown paths share one label, so that strangers cannot create new ones. */
export function countRequests({ requests }: Pick<Metrics, 'requests'>): Hook {
  return (_req, res, { pathname }) => {
    const route = routes.find((one) => pathname === one || pathname.startsWith(`${one}/`)) ?? 'other';
    res.once('close', () => requests.inc({ route, status: String(res.statusCode) }));
  };
}
