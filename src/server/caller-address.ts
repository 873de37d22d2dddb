import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Where a request comes from, as a name that one caller cannot change at will: what the outermost trusted proxy
 * saw, for whatever stands before it the caller wrote itself. Undefined: a process on this machine; everybody
 * behind a proxy that is not declared would share its name.
 */
export function callerAddress(req: IncomingMessage, trustedProxies: number): string | undefined {
  const direct = req.socket.remoteAddress ?? '';
  if (trustedProxies === 0) return loopback.test(direct) ? undefined : network(direct);
  const forwarded = String(req.headers['x-forwarded-for'] ?? '').split(',');
  return network(addressIn(forwarded.at(-trustedProxies)?.trim() ?? '') ?? direct);
}

const loopback = /^(::ffff:)?127\.|^::1$/;

/** Some proxies write the port too. What is no address at all, such as 009.9.9.9, could be written in any number. */
function addressIn(text: string): string | undefined {
  if (isIP(text) !== 0) return text;
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1];
  return bare !== undefined && isIP(bare) !== 0 ? bare : undefined;
}

/** A household or a server has a whole /64 of IPv6 to call from. */
function network(address: string): string {
  if (!address.includes(':')) return address;
  // One way to write each.
  const hostname = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(hostname) ?? [];
  if (high !== undefined && low !== undefined) return dotted(high, low);
  const [head = '', tail] = hostname.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const middle = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return `${[...left, ...middle, ...right].slice(0, 4).join(':')}::/64`;
}

/** The IPv4 address that an IPv6 one carries in its last two groups. */
const dotted = (...groups: [high: string, low: string]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
