import { sendJson } from './respond.ts';
import type { Route } from './server.ts';

/**
 * `/health/live`: the process answers. `/health/ready`: it can do its work; false from the moment of a
 * stop, so that a balancer sends nothing new while running work drains.
 */
export function healthRoutes(ready: () => Promise<boolean>): Route[] {
  return [
    {
      method: 'GET',
      matches: (pathname) => pathname === '/health/live',
      handle: async (_req, res) => sendJson(res, 200, { status: 'live' }),
    },
    {
      method: 'GET',
      matches: (pathname) => pathname === '/health/ready',
      handle: async (_req, res) => {
        const ok = await ready().catch(() => false);
        sendJson(res, ok ? 200 : 503, { status: ok ? 'ready' : 'not ready' });
      },
    },
  ];
}
