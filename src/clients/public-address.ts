import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 networks of IANA's special-purpose registry. No public host has such an address. */
const special4 = [
  ['0.0.0.0', 8, 'this host'],
  ['10.0.0.0', 8, 'a private network'],
  ['100.64.0.0', 10, 'a carrier’s own network'],
  ['127.0.0.0', 8, 'this machine'],
  // Cloud metadata services answer here, with the machine's credentials.
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'a private network'],
  ['192.0.0.0', 24, 'for protocols'],
  ['192.0.2.0', 24, 'for documentation'],
  ['192.88.99.0', 24, 'a relay of IPv6'],
  ['192.168.0.0', 16, 'a private network'],
  ['198.18.0.0', 15, 'for benchmarks'],
  ['198.51.100.0', 24, 'for documentation'],
  ['203.0.113.0', 24, 'for documentation'],
  ['224.0.0.0', 3, 'multicast or reserved'],
] as const;

/**
 * IPv6 networks with a special purpose. All but 2000::/3 is refused anyway; the others are listed for the
 * message.
 */
const special6 = [
  ['::1', 128, 'this machine'],
  ['::', 128, 'this host'],
  ['::ffff:0:0', 96, 'an IPv4-mapped address'],
  ['64:ff9b::', 96, 'IPv4 behind a translator'],
  ['64:ff9b:1::', 48, 'IPv4 behind a translator'],
  ['fc00::', 7, 'a private network'],
  ['fe80::', 10, 'link-local'],
  ['ff00::', 8, 'multicast'],
  // Includes Teredo, whose addresses embed an IPv4 address.
  ['2001::', 23, 'for protocols'],
  ['2001:db8::', 32, 'for documentation'],
  // Embeds an IPv4 address, which may be a private one.
  ['2002::', 16, '6to4'],
  ['3fff::', 20, 'for documentation'],
] as const;

const listed = (family: 'ipv4' | 'ipv6', networks: readonly (readonly [string, number, string])[]) =>
  networks.map(([network, prefix, what]) => {
    const list = new BlockList();
    list.addSubnet(network, prefix, family);
    return { has: (address: string) => list.check(address, family), what };
  });

const blocked4 = listed('ipv4', special4);
const blocked6 = listed('ipv6', special6);
/** The only IPv6 space that IANA has allocated for global unicast. */
const [global6] = listed('ipv6', [['2000::', 3, 'global']]);

/** Why an IP address is not public, such as "a private network"; undefined for a public address. */
export function whyNotPublic(address: string): string | undefined {
  if (isIPv4(address)) return blocked4.find(({ has }) => has(address))?.what;
  if (!isIPv6(address)) return 'no IP address';
  // A zone (`%eth0`) belongs to a link, so the address is not public.
  if (address.includes('%')) return 'an address of one link';
  const special = blocked6.find(({ has }) => has(address));
  if (special) return special.what;
  return global6?.has(address) ? undefined : 'not allocated';
}
