import { BlockList, isIP } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { failure } from '../../test/_util/failure.ts';
import { serve } from '../../test/_util/http-server.ts';
import type { HttpFailure } from './http.ts';
import { AddressRefused, createSsrfSafeHttpClient } from './ssrf-safe-http.ts';

type Options = Partial<Parameters<typeof createSsrfSafeHttpClient>[0]>;

const clientFor = (...configured: string[]) =>
  clientWith({ configured: configured.map((url) => new URL(url)) });

function clientWith(options: Options) {
  const client = createSsrfSafeHttpClient({ connections: 2, configured: [], ...options });
  onTestFinished(() => client.close());
  return (url: string) => client.send({ method: 'GET', url, timeoutMs: 5_000, maxBytes: 1_000 });
}

it('a configured private host is reached by its name and by its address', async () => {
  const server = await serve((_, response) => response.end('here'));
  const byName = server.url.replace('127.0.0.1', 'localhost');
  const get = clientFor(byName);
  expect((await get(byName)).body.toString()).toBe('here');
  expect((await get(server.url)).body.toString()).toBe('here');
});

it.each(['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'])(
  'another port of a configured private host is refused, as %s',
  async (host) => {
    const server = await serve((_, response) => response.end('secret'));
    const { port } = new URL(server.url);
    const error = await failure<HttpFailure>(clientFor('http://localhost:1')(`http://${host}:${port}/`));
    expect(error.cause).toBeInstanceOf(AddressRefused);
    expect(error.sent).toBe(false);
    expect(server.received).toEqual([]);
  },
);

it.each(['http://127.0.0.1/', 'https://127.0.0.1/', 'http://[::1]:1/'])(
  'a configured private host is not refused at its default port or by an IPv6 address: %s',
  async (url) => {
    const outcome = await clientFor(url)(url).catch(({ cause }: HttpFailure) => cause);
    expect(outcome).not.toBeInstanceOf(AddressRefused);
  },
);

it('a name that resolves to a configured private host and another private address is refused', async () => {
  const resolve: Options['resolve'] = async () => [
    { address: '127.0.0.1', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ];
  const get = clientWith({ configured: [new URL('http://127.0.0.1:1')], resolve });
  const { cause } = await failure<HttpFailure>(get('http://name.example:1/'));
  expect((cause as Error).message).toContain('its address is a private network');
});

/** Resolves every name to these addresses, and allows the addresses of one network. */
const leadingTo = (addresses: string[], network: string): Options => {
  const allowed = new BlockList();
  allowed.addSubnet(network, 8, 'ipv4');
  return { resolve: async () => addresses.map((address) => ({ address, family: isIP(address) })), allowed };
};

it.each([
  ['over http', 'http://name.example/', ['93.184.215.14'], 'it is not https'],
  ['at the port of http', 'https://name.example:80/', ['93.184.215.14'], 'port 80 is not 443'],
  ['by http, with one allowed address', 'http://name.example/', ['10.0.0.1', '1.1.1.1'], 'it is not https'],
  [
    'with one private address',
    'https://name.example/',
    ['10.0.0.1', '192.168.0.1'],
    'its address is a private network',
  ],
  [
    'with two addresses, the second private',
    'https://name.example/',
    ['10.0.0.1', 'fd00::1'],
    'its address is a ',
  ],
])('with https only, a host outside the allowed network is refused %s', async (_, url, addresses, why) => {
  const get = clientWith({ ...leadingTo(addresses, '10.0.0.0'), httpsOnly: true });
  const error = await failure<HttpFailure>(get(url));
  expect(error.cause).toBeInstanceOf(AddressRefused);
  expect((error.cause as Error).message).toContain(why);
});

it('an allowed network is reached over http at any port, even with a configured private host', async () => {
  const server = await serve((_, response) => response.end('here'));
  const url = server.url.replace('127.0.0.1', 'name.example');
  const alone = clientWith({ ...leadingTo(['127.0.0.1'], '127.0.0.0'), httpsOnly: true });
  expect((await alone(url)).body.toString()).toBe('here');
  const beside = leadingTo(['127.0.0.1', '10.0.0.1'], '10.0.0.0');
  expect((await clientWith({ ...beside, configured: [new URL(server.url)] })(url)).body.toString()).toBe(
    'here',
  );
});
