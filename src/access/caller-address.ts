import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The caller's address as the outermost trusted proxy saw it, because the caller can forge everything to the left of
 * that. Undefined for a process on this machine without a declared proxy: all callers behind an undeclared local
 * proxy would share its address.
 */
export function callerAddress(req: IncomingMessage, trustedProxies: number): string | undefined {
  const direct = req.socket.remoteAddress ?? '';
  if (trustedProxies === 0) return loopback.test(direct) ? undefined : network(direct);
  const forwarded = String(req.headers['x-forwarded-for'] ?? '').split(',');
  // Some proxies append the port.
  const seen = forwarded.at(-trustedProxies)?.trim().replace(withPort, '$1$2') ?? '';
  // Accept only a valid address: a caller could vary text such as 009.9.9.9 without end.
  return network(isIP(seen) === 0 ? direct : seen);
}

const withPort = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/;

export const loopback = /^(::ffff:)?127\.|^::1$/;

/** Cuts IPv6 addresses to their /64, because a household or a server can call from a whole /64. */
function network(address: string): string {
  if (!address.includes(':')) return address;
  // The URL parser normalizes the address, so that one caller does not count as several.
  const hostname = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(hostname) ?? [];
  if (high !== undefined && low !== undefined) return dotted(high, low);
  const [head = '', tail] = hostname.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const middle = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return `${[...left, ...middle, ...right].slice(0, 4).join(':')}::/64`;
}

/** The IPv4 address in the last two groups of an IPv4-mapped IPv6 address. */
const dotted = (...groups: [high: string, low: string]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
