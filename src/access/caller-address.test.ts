import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { callerAddress } from './caller-address.ts';

const request = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

const proxy = '10.0.0.1';

it.each([
  ['1.2.3.4', '1.2.3.4'],
  ['1.2.3.4:5678', '1.2.3.4'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['::FFFF:1.2.3.4', '1.2.3.4'],
  ['::ffff:102:304', '1.2.3.4'],
  ['[::ffff:1.2.3.4]:80', '1.2.3.4'],
  ['2001:db8:1:2::7', '2001:db8:1:2::/64'],
  ['2001:0DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::7]:443', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::7]', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1.2.3.4', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('a caller has the same address in every notation of a proxy: %s', (written, name) => {
  expect(callerAddress(request(proxy, `9.9.9.9, ${written}`), 1)).toBe(name);
});

it.each(['009.9.9.9', '1.2.3', '1.2.3.4:x', '[1.2.3.4', '[]:80', 'unknown', '_hidden', '', '1.2.3.4.5:80'])(
  'a caller with an invalid forwarded address has the address of the proxy: "%s"',
  (written) => {
    expect(callerAddress(request(proxy, `9.9.9.9, ${written}`), 1)).toBe(proxy);
  },
);

it('addresses that the caller itself put into X-Forwarded-For are ignored', () => {
  expect(callerAddress(request('192.0.2.1', '9.9.9.9'), 0)).toBe('192.0.2.1');
  expect(callerAddress(request(proxy, '9.9.9.9, 192.0.2.1, 10.0.0.2'), 2)).toBe('192.0.2.1');
  expect(callerAddress(request(proxy), 1)).toBe(proxy);
});

it('a local caller has no address, unless it is a proxy that forwards another', () => {
  for (const here of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    expect(callerAddress(request(here), 0)).toBeUndefined();
  expect(callerAddress(request('127.0.0.1', '192.0.2.1'), 1)).toBe('192.0.2.1');
});
