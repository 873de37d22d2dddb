import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { metricsRoute } from './operator.ts';

// In tests of the whole server every caller is local.
it.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.9', false],
  ['::ffff:10.0.0.9', false],
  [undefined, false],
])('metrics are only shown to a local caller: %s', async (remoteAddress, isShown) => {
  const registry = { contentType: 'text/plain', metrics: async () => 'up 1' };
  const { handle } = metricsRoute({ registry } as never, { token: undefined, host: '127.0.0.1' });
  const req = { socket: { remoteAddress }, headers: { host: 'localhost' } } as IncomingMessage;
  const sent: string[] = [];
  const res = { req, writeHead: () => ({ end: (body: string) => sent.push(body) }) };
  const answering = Promise.resolve(
    handle(req, res as unknown as ServerResponse, new URL('http://localhost')),
  );
  if (isShown) await answering;
  else await expect(answering).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(sent).toEqual(isShown ? ['up 1'] : []);
});
