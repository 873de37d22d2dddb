import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { healthRoutes, metricsRoute } from './operator.ts';

/** Asks for the metrics, and returns what was sent. */
async function metricsFor(token: string | undefined, remoteAddress: string | undefined, headers: object) {
  const registry = { contentType: 'text/plain', metrics: async () => 'up 1' };
  const { handle } = metricsRoute({ registry } as never, { token, host: 'own.example' });
  const req = { socket: { remoteAddress }, headers } as IncomingMessage;
  const sent: string[] = [];
  const res = { req, writeHead: () => ({ end: (body: string) => sent.push(body) }) };
  await handle(req, res as unknown as ServerResponse, new URL('http://localhost'));
  return sent;
}

// In tests of the whole server every caller is local.
it.each<[string | undefined, boolean, string?]>([
  ['127.0.0.1', true],
  ['127.0.0.1', true, 'own.example:4000'],
  ['127.0.0.1', false, 'other.example:4000'],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.9', false],
  ['::ffff:10.0.0.9', false],
  [undefined, false],
])('metrics are only shown to a local caller: %s', async (remoteAddress, isShown, host = 'localhost') => {
  const metrics = metricsFor(undefined, remoteAddress, { host });
  if (isShown) expect(await metrics).toEqual(['up 1']);
  else
    await expect(metrics).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringContaining('to this machine only'),
    });
});

it('metrics are only shown to the holder of METRICS_TOKEN if it is set', async () => {
  const token = 'the-token-of-the-operator';
  expect(await metricsFor(token, '10.0.0.9', { authorization: `Bearer ${token}` })).toEqual(['up 1']);
  const message = expect.stringContaining('<METRICS_TOKEN>');
  for (const authorization of [undefined, 'Bearer another-token', `Basic ${token}`])
    await expect(metricsFor(token, '127.0.0.1', { host: 'localhost', authorization })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message,
    });
});

describe('the readiness probe', () => {
  const probe = async (checks: Parameters<typeof healthRoutes>[0], times = 1) => {
    const ready = healthRoutes(checks).find(({ path }) => path === '/health/ready');
    const sent: unknown[] = [];
    const res = {
      req: { headers: {} },
      writeHead: (status: number) => ({ end: (body: string) => sent.push([status, JSON.parse(body)]) }),
    } as unknown as ServerResponse;
    const answers = Array.from({ length: times }, () =>
      ready?.handle(res.req, res, new URL('http://localhost')),
    );
    await Promise.all(answers);
    return sent;
  };

  it('shares its checks with simultaneous ones', async () => {
    const check = vi.fn(async () => true);
    expect(await probe({ check }, 3)).toEqual(
      Array(3).fill([200, { status: 'ready', checks: { check: 'ok' } }]),
    );
    expect(check).toHaveBeenCalledOnce();
  });

  it('fails after two seconds when a check hangs, and names each check that failed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const probing = probe({
      works: async () => true,
      fails: () => Promise.reject(new Error('down')),
      hangs: () => new Promise(() => {}),
    });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await probing).toEqual([
      [503, { status: 'not ready', checks: { works: 'ok', fails: 'failing', hangs: 'failing' } }],
    ]);
  });
});
