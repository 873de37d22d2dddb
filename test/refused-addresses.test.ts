import { isIP } from 'node:net';
import { CID } from 'multiformats/cid';
import { sha256 } from 'multiformats/hashes/sha2';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpFailure } from '../src/clients/http.ts';
import { AddressRefused, createSsrfSafeHttpClient, type Resolve } from '../src/clients/ssrf-safe-http.ts';
import { failure } from './_util/failure.ts';
import { serve } from './_util/http-server.ts';
import { ipfsClient } from './_util/ipfs-client.ts';

/** Hosts of a URL, each with what the refusal has to say. */
const addresses: [string, RegExp][] = [
  ...[
    '127.0.0.1',
    '127.0.0.2',
    '127.255.255.254',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
  ].map(machine),
  ...['0177.0.0.1', '017700000001', '0x7F.0x0.0x0.0x1', '127.0.0.1.', '0177.1', '0x7f.0.1', '127.0x1'].map(
    machine,
  ),
  ...['①②⑦.⓪.⓪.①', '127。0。0。1', '127%2e0%2e0%2e1', '１２７.0.0.1'].map(machine),
  ...['0.0.0.0', '0', '0x0', '00', '0.1.2.3'].map((one): [string, RegExp] => [one, /is this host/]),
  ...['10.0.0.1', '10.255.255.255', '167772161', '0xa.1', '012.0.0.1', '172.16.0.1', '172.31.255.255'].map(
    private4,
  ),
  ...[
    '2886729729',
    '0xac.0x10.0.1',
    '192.168.0.1',
    '192.168.255.255',
    '3232235777',
    '0xc0a80001',
    '192.168.257',
  ].map(private4),
  ...[
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '169.254.1.1',
  ].map((one): [string, RegExp] => [one, /is link-local/]),
  ['100.64.0.1', /carrier/],
  ['100.127.255.255', /carrier/],
  ['192.0.0.8', /for protocols/],
  ['192.0.2.1', /for documentation/],
  ['192.88.99.1', /a relay/],
  ['198.18.0.1', /for benchmarks/],
  ['198.19.255.255', /for benchmarks/],
  ['198.51.100.7', /for documentation/],
  ['203.0.113.9', /for documentation/],
  ...['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '4294967295'].map(
    (one): [string, RegExp] => [one, /multicast or reserved/],
  ),
  ['[::1]', /is this machine/],
  ['[0:0:0:0:0:0:0:1]', /is this machine/],
  ['[::]', /is this host/],
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:10.0.0.1]',
    '[::ffff:169.254.169.254]',
    '[::ffff:1.1.1.1]',
  ].map(disguised),
  ...['[0:0:0:0:0:ffff:7f00:1]', '[::FFFF:192.168.0.1]'].map(disguised),
  ...['[::127.0.0.1]', '[::7f00:1]', '[100::1]', '[200::1]', '[4000::1]', '[5f00::1]', '[e000::1]'].map(
    (one): [string, RegExp] => [one, /not allocated/],
  ),
  ...['[64:ff9b::127.0.0.1]', '[64:ff9b::a00:1]', '[64:ff9b:1::1]'].map((one): [string, RegExp] => [
    one,
    /behind a translator/,
  ]),
  ...['[2002:7f00:1::]', '[2002:a00:1::1]', '[2002:c0a8:1::]'].map((one): [string, RegExp] => [one, /6to4/]),
  ...['[2001:0:4136:e378:8000:63bf:3fff:fdd2]', '[2001::1]', '[2001:20::1]'].map((one): [string, RegExp] => [
    one,
    /for protocols/,
  ]),
  ...['[2001:db8::1]', '[3fff::1]'].map((one): [string, RegExp] => [one, /for documentation/]),
  ...['[fc00::1]', '[fd12:3456::1]', '[fdff:ffff::1]'].map((one): [string, RegExp] => [
    one,
    /private network/,
  ]),
  ...['[fe80::1]', '[febf::1]'].map((one): [string, RegExp] => [one, /link-local/]),
  ...['[ff02::1]', '[ff0e::1]'].map((one): [string, RegExp] => [one, /multicast/]),
];

function machine(one: string): [string, RegExp] {
  return [one, /is this machine/];
}
function private4(one: string): [string, RegExp] {
  return [one, /is a private network/];
}
function disguised(one: string): [string, RegExp] {
  return [one, /IPv4 in disguise/];
}

/** Names, and what the test's own resolver says of them. */
const names: Record<string, string[]> = {
  'loopback.example': ['127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'six.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'zone.example': ['fe80::1%eth0'],
  'one-of-two.example': ['93.184.215.14', '10.0.0.1'],
  'one-of-both.example': ['2606:4700::1', 'fd00::1'],
  'nothing.example': [],
  'nonsense.example': ['localhost'],
};

const entry = (address: string) => ({ address, family: isIP(address) || 4 });

function client(resolve?: Resolve, configured: URL[] = []) {
  const one = createSsrfSafeHttpClient({ connections: 2, configured, ...(resolve && { resolve }) });
  onTestFinished(() => one.close());
  return (url: string) => one.send({ method: 'GET', url, timeoutMs: 5_000, maxBytes: 1_000 });
}

async function refusal(sent: Promise<unknown>): Promise<Error> {
  const { cause, sent: begun } = await failure<HttpFailure>(sent);
  expect(begun).toBe(false);
  expect(cause).toBeInstanceOf(AddressRefused);
  return cause as Error;
}

describe('an address that comes from elsewhere', () => {
  it('is tried in many forms', () => {
    expect(new Set(addresses.map(([host]) => host)).size).toBe(addresses.length);
    expect(addresses.length + Object.keys(names).length).toBeGreaterThanOrEqual(80);
  });

  it.each(addresses)('%s is refused, and told why', async (host, why) => {
    expect((await refusal(client()(`http://${host}/`))).message).toMatch(why);
  });

  it.each(Object.keys(names))('%s, a name, is refused for what it resolves to', async (name) => {
    const resolve: Resolve = async (asked) => (names[asked] ?? []).map(entry);
    expect((await refusal(client(resolve)(`https://${name}/`))).message).toMatch(/may not be reached: .+/);
  });

  it.each([
    'http://[fe80::1%25eth0]/',
    'http://[::1%lo]/',
    'http://256.0.0.1/',
    'http://0x100000000/',
    'http://1.2.3.4.5/',
    'http:///',
  ])('that is none is not connected to: %s', async (url) => {
    await expect(client(async () => [])(url)).rejects.toThrow();
  });

  it.each([22, 25, 2375, 3306, 5432, 6379, 9200])(
    'at port %i, which is none of the web, is refused',
    async (port) => {
      const resolve: Resolve = async () => [entry('93.184.215.14')];
      const { message } = await refusal(client(resolve)(`http://public.example:${port}/`));
      expect(message).toMatch(`port ${port} is not a web port`);
    },
  );

  it('that changes between the check and the connection is connected to as it was checked', async () => {
    const inside = await serve((_, response) => response.end('secret'));
    const { port } = new URL(inside.url);
    const asked: string[] = [];
    // Public when it is asked first; from then on this machine, where a secret is served.
    const resolve: Resolve = async (name) => {
      asked.push(name);
      return [entry(asked.length === 1 ? '192.0.2.1' : '127.0.0.1')];
    };
    await refusal(client(resolve)(`http://rebind.example:${port}/`));
    asked.length = 0;
    // Also where the first answer is one that may be reached: nobody asks a second time.
    const first = client(
      async (name) => {
        asked.push(name);
        return [entry(asked.length === 1 ? '127.0.0.1' : '10.0.0.1')];
      },
      [new URL(inside.url)],
    );
    expect((await first(`http://rebind.example:${port}/`)).body.toString()).toBe('secret');
    // Once for the name itself: the configured origin is an address.
    expect(asked).toEqual(['rebind.example']);
    expect(inside.received).toHaveLength(1);
  });

  it('that is a redirect is refused like any other', async () => {
    const cid = CID.createV1(0x55, await sha256.digest(Buffer.from('content'))).toString();
    const every = [
      ...addresses.map(([host]) => `http://${host}/x`),
      'file:///etc/passwd',
      'gopher://127.0.0.1/',
      'ftp://127.0.0.1/',
    ];
    let next = '';
    const gateway = await serve((_, response) => response.writeHead(302, { location: next }).end());
    for (const location of every.filter((one) => /^[\x20-\x7e]+$/.test(one))) {
      next = location;
      const ipfs = ipfsClient([gateway.url]);
      await expect(ipfs.cat(cid), location).rejects.toMatchObject({ reason: 'BLOCKED' });
    }
  });
});
