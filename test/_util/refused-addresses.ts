/** Hosts of a URL, each with the expected message of the refusal. */
export const refusedAddresses: [string, RegExp][] = [
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
  return [one, /IPv4-mapped/];
}
