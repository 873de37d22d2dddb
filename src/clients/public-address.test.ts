import { expect, it } from 'vitest';
import { whyNotPublic } from './public-address.ts';

it.each(['1.1.1.1', '93.184.215.14', '172.32.0.1', '192.169.0.1', '2606:4700::6810:84e5', '2a00:1450::1'])(
  '%s is public',
  (address) => expect(whyNotPublic(address)).toBeUndefined(),
);

it.each([
  ['this host', '0.0.0.0'],
  ['loopback', '127.0.0.1'],
  ['loopback, far end', '127.255.255.254'],
  ['private', '10.1.2.3'],
  ['private', '172.31.255.255'],
  ['private', '192.168.1.1'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['link-local, where clouds keep credentials', '169.254.169.254'],
  ['documentation', '203.0.113.9'],
  ['benchmarks', '198.19.0.1'],
  ['multicast', '224.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['IPv6 unspecified', '::'],
  ['IPv6 loopback', '::1'],
  ['IPv6 unique local', 'fd00::1'],
  ['IPv6 link-local', 'fe80::1'],
  ['IPv6 link-local with a zone', 'fe80::1%lo'],
  ['IPv6 of a public network, with a zone', '2606:4700::1%eth0'],
  ['IPv6 multicast', 'ff02::1'],
  ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
  ['IPv4-mapped loopback, in hex', '::ffff:7f00:1'],
  ['IPv4-mapped, even of a public address', '::ffff:1.1.1.1'],
  ['NAT64 of a private address', '64:ff9b::10.0.0.1'],
  ['6to4 of a private address', '2002:a00:1::'],
  ['Teredo', '2001:0:4136:e378::1'],
  ['IPv6 documentation', '2001:db8::1'],
  ['no address', 'localhost'],
])('%s is not public (%s)', (_what, address) => expect(whyNotPublic(address)).toEqual(expect.any(String)));
