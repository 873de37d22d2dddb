import { withTimeout } from '@srr-gateway/common/time';
import { sendJson } from '../respond.ts';
import type { Route } from '../router.ts';

/** Named checks, all of which must pass before the gateway is ready. */
export type ReadyChecks = Record<string, () => Promise<boolean>>;

/** A check that takes longer has failed: a probe's own time-out is a few seconds. */
const checkMs = 2_000;

/**
 * `/health/live`: the process answers. `/health/ready`: it can do its work; if not, the body says which check
 * fails. It fails from the moment that a stop begins, so that a balancer sends nothing new while running work
 * drains.
 */
export function healthRoutes(checks: ReadyChecks): Route[] {
  return [
    {
      method: 'GET',
      path: '/health/live',
      handle: async (_req, res) => sendJson(res, 200, { status: 'live' }),
    },
    {
      method: 'GET',
      path: '/health/ready',
      handle: async (_req, res) => {
        const found = await Promise.all(
          Object.entries(checks).map(async ([name, check]) => [name, await holds(check)] as const),
        );
        const ok = found.every(([, one]) => one);
        sendJson(res, ok ? 200 : 503, {
          status: ok ? 'ready' : 'not ready',
          checks: Object.fromEntries(found.map(([name, one]) => [name, one ? 'ok' : 'failing'])),
        });
      },
    },
  ];
}

async function holds(check: () => Promise<boolean>): Promise<boolean> {
  try {
    return (await withTimeout(check(), checkMs)) ?? false;
  } catch {
    return false;
  }
}
