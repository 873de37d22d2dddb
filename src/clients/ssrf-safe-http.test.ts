import { expect, it, onTestFinished } from 'vitest';
import { failure } from '../../test/_util/failure.ts';
import { serve } from '../../test/_util/http-server.ts';
import type { HttpFailure } from './http.ts';
import { AddressRefused, createSsrfSafeHttpClient } from './ssrf-safe-http.ts';

function clientFor(...configured: string[]) {
  const client = createSsrfSafeHttpClient({
    connections: 2,
    configured: configured.map((url) => new URL(url)),
  });
  onTestFinished(() => client.close());
  return (url: string) => client.send({ method: 'GET', url, timeoutMs: 5_000, maxBytes: 1_000 });
}

it('a configured neighbour is reached, by its name and by its address', async () => {
  const server = await serve((_, response) => response.end('here'));
  const byName = server.url.replace('127.0.0.1', 'localhost');
  const get = clientFor(byName);
  expect((await get(byName)).body.toString()).toBe('here');
  expect((await get(server.url)).body.toString()).toBe('here');
});

it.each(['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'])(
  'another port of a configured neighbour is refused, as %s',
  async (host) => {
    const server = await serve((_, response) => response.end('secret'));
    const { port } = new URL(server.url);
    const error = await failure<HttpFailure>(clientFor('http://localhost:1')(`http://${host}:${port}/`));
    expect(error.cause).toBeInstanceOf(AddressRefused);
    expect(error.sent).toBe(false);
    expect(server.received).toEqual([]);
  },
);
