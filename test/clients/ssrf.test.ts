import { isIP } from 'node:net';
import { CID } from 'multiformats/cid';
import { sha256 } from 'multiformats/hashes/sha2';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpFailure } from '../../src/clients/http.ts';
import { AddressRefused, createSsrfSafeHttpClient, type Resolve } from '../../src/clients/ssrf-safe-http.ts';
import { failure } from '../_util/failure.ts';
import { serve } from '../_util/http-server.ts';
import { ipfsClient } from '../_util/ipfs-client.ts';
import { refusedAddresses as addresses } from '../_util/refused-addresses.ts';

/** Host names, and their addresses in the test's own resolver. */
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

describe('an address from an untrusted source', () => {
  it('is tested in at least 80 forms', () => {
    expect(new Set(addresses.map(([host]) => host)).size).toBe(addresses.length);
    expect(addresses.length + Object.keys(names).length).toBeGreaterThanOrEqual(80);
  });

  it.each(addresses)('%s is refused with the reason', async (host, why) => {
    expect((await refusal(client()(`http://${host}/`))).message).toMatch(why);
  });

  it.each(Object.keys(names))('%s is refused for the address that it resolves to', async (name) => {
    const resolve: Resolve = async (host) => (names[host] ?? []).map(entry);
    expect((await refusal(client(resolve)(`https://${name}/`))).message).toMatch(/may not be reached: .+/);
  });

  it.each([
    'http://[fe80::1%25eth0]/',
    'http://[::1%lo]/',
    'http://256.0.0.1/',
    'http://0x100000000/',
    'http://1.2.3.4.5/',
    'http:///',
  ])('that is malformed is not connected to: %s', async (url) => {
    await expect(client(async () => [])(url)).rejects.toThrow();
  });

  it.each([22, 25, 2375, 3306, 5432, 6379, 9200])(
    'at port %i, which is not a web port, is refused',
    async (port) => {
      const resolve: Resolve = async () => [entry('93.184.215.14')];
      const { message } = await refusal(client(resolve)(`http://public.example:${port}/`));
      expect(message).toMatch(`port ${port} is not a web port`);
    },
  );

  it('whose DNS changes after the check is connected to at the checked address', async () => {
    const inside = await serve((_, response) => response.end('secret'));
    const { port } = new URL(inside.url);
    const lookups: string[] = [];
    // The first answer is public; all others are this machine, which serves a secret.
    const resolve: Resolve = async (name) => {
      lookups.push(name);
      return [entry(lookups.length === 1 ? '192.0.2.1' : '127.0.0.1')];
    };
    await refusal(client(resolve)(`http://rebind.example:${port}/`));
    lookups.length = 0;
    // The name is resolved only once when the first address is allowed, too.
    const first = client(
      async (name) => {
        lookups.push(name);
        return [entry(lookups.length === 1 ? '127.0.0.1' : '10.0.0.1')];
      },
      [new URL(inside.url)],
    );
    expect((await first(`http://rebind.example:${port}/`)).body.toString()).toBe('secret');
    // Only the name is resolved, because the configured origin is an IP address.
    expect(lookups).toEqual(['rebind.example']);
    expect(inside.received).toHaveLength(1);
  });

  it('is refused in a redirect too', async () => {
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
      await expect(ipfs.cat(cid), location).rejects.toMatchObject({ kind: 'BLOCKED' });
    }
  });
});
