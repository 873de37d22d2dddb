import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { withTimeout } from '@srr-gateway/common/time';
import { loopback } from '../../access/caller-address.ts';
import { digest } from '../../access/digest.ts';
import { credentialsOf } from '../../access/request-credentials.ts';
import { sendJson, sendText } from '../../lib/send.ts';
import { createSingleFlight } from '../../lib/single-flight.ts';
import { unauthenticated } from '../../model/errors.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Route } from '../server.ts';

/** A slower check counts as failed: a probe's own time-out is a few seconds. */
const checkMs = 2_000;

/**
 * `/health/live`: the process answers. `/health/ready`: all checks pass, so it can do its work; if not, the body says
 * which one fails. It fails from the start of a shutdown, so that a balancer sends nothing new while running work
 * drains.
 */
export function healthRoutes(checks: Record<string, () => Promise<boolean>>): Route[] {
  const readAll = async () =>
    Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await stateOf(check)] as const));
  const shared = createSingleFlight<Awaited<ReturnType<typeof readAll>>>();
  return [
    { method: 'GET', path: '/health/live', handle: (_req, res) => sendJson(res, 200, { status: 'live' }) },
    {
      method: 'GET',
      path: '/health/ready',
      handle: async (_req, res) => {
        // Anybody may call this at any rate, so simultaneous probes share the checks, which query the database.
        const found = await shared.join('ready', readAll);
        const isReady = found.every(([, state]) => state === 'ok');
        const status = isReady ? 'ready' : 'not ready';
        sendJson(res, isReady ? 200 : 503, { status, checks: Object.fromEntries(found) });
      },
    },
  ];
}

const stateOf = async (check: () => Promise<boolean>) =>
  (await withTimeout(check(), checkMs).catch(() => false)) ? 'ok' : 'failing';

/** `GET /metrics`, for the operator only: metrics reveal who uses the gateway and how much. */
export function metricsRoute(
  { registry }: Pick<Metrics, 'registry'>,
  { token, host }: { token: string | undefined; host: string },
): Route {
  return {
    method: 'GET',
    path: '/metrics',
    handle: async (req, res) => {
      if (token === undefined ? !isHere(req, host) : !hasToken(req, token))
        throw unauthenticated(
          token
            ? 'Send "Authorization: Bearer <METRICS_TOKEN>".'
            : 'Without METRICS_TOKEN the metrics are shown to this machine only.',
        );
      sendText(res, 200, registry.contentType, await registry.metrics(), ['cache-control', 'no-store']);
    },
  };
}

const forwarding = ['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'];

/** Whether a program on this machine sent the request, and addressed it to this machine. */
function isHere({ socket, headers }: IncomingMessage, host: string): boolean {
  if (!loopback.test(socket.remoteAddress ?? '')) return false;
  // A proxy on this machine forwards for others, and most add one of these headers.
  if (forwarding.some((name) => headers[name] !== undefined)) return false;
  // DNS rebinding: a page in a browser on this machine can point its own host name here to read the response.
  const { hostname } = new URL(`http://${headers.host ?? 'localhost'}`);
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) || hostname === host;
}

function hasToken(req: IncomingMessage, token: string): boolean {
  const credentials = credentialsOf(req);
  const tokenDigest = credentials.kind === 'authorization' ? credentials.token?.digest : undefined;
  return tokenDigest !== undefined && timingSafeEqual(Buffer.from(tokenDigest), Buffer.from(digest(token)));
}
