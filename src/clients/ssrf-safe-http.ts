import { type LookupAddress, lookup } from 'node:dns';
import { type BlockList, isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { connectMs, createHttpClient, type HttpClient } from './http.ts';
import { whyNotPublic } from './public-address.ts';

/** The SSRF-safe client refused an address that outsiders must not direct the gateway to. */
export class AddressRefused extends Error {
  constructor(host: string, why: string) {
    super(`${host} may not be reached: ${why}`);
    this.name = 'AddressRefused';
  }
}

/** Content comes from web servers. Other ports of a public host may be internal services. */
const webPorts = ['80', '443'];

/** Resolves a host name to all its IP addresses. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/**
 * Makes a client for addresses that outsiders supply. It connects to public hosts, and to the hosts of the
 * configured origins at their own port. It resolves and checks a name when it connects, and uses the checked
 * addresses, which prevents DNS rebinding.
 */
export function createSsrfSafeHttpClient(options: {
  connections: number;
  configured: readonly URL[];
  /** The system's resolver by default. */
  resolve?: Resolve;
  /** Networks that may be reached although they are not public, at any port and without encryption. */
  allowed?: BlockList;
  /** Whether hosts outside `allowed` are reached by https only, at its own port. */
  httpsOnly?: boolean;
}): HttpClient {
  const { resolve = systemResolve } = options;
  return createHttpClient({
    connections: options.connections,
    connect: (target, done) => {
      checked(target.hostname, target.port || portOf(target.protocol), target.protocol, {
        ...options,
        resolve,
      }).then(
        (addresses) =>
          buildConnector({ timeout: connectMs, allowH2: false, lookup: fixed(addresses) })(target, done),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), null),
      );
    },
  });
}

const portOf = (protocol: string | null) => (protocol === 'https:' ? '443' : '80');

interface CheckOptions {
  configured: readonly URL[];
  resolve: Resolve;
  allowed?: BlockList;
  httpsOnly?: boolean;
}

/** All addresses of a host. @throws AddressRefused when one of them, or the port, is not allowed. */
async function checked(
  hostname: string,
  port: string,
  protocol: string | null,
  { configured, resolve, allowed, httpsOnly = false }: CheckOptions,
): Promise<LookupAddress[]> {
  const addresses = await resolved(hostname, resolve);
  const isAllowed = ({ address, family }: LookupAddress) =>
    allowed?.check(address, family === 6 ? 'ipv6' : 'ipv4') === true;
  // If any address is not allowed explicitly, the rules of public hosts apply to the name.
  if (addresses.every(isAllowed)) return addresses;
  if (httpsOnly && protocol !== 'https:')
    throw new AddressRefused(
      hostname,
      'it is not https, which only networks in ALLOW_PRIVATE_WEBHOOKS may do without',
    );
  const refused = addresses
    .filter((one) => !isAllowed(one))
    .flatMap(({ address }) => {
      const why = whyNotPublic(address);
      return why === undefined ? [] : [{ address, why }];
    });
  const neighbours = configured.filter((origin) => (origin.port || portOf(origin.protocol)) === port);
  if (refused.length === 0) {
    const ports = httpsOnly ? ['443'] : webPorts;
    if (ports.includes(port) || neighbours.length > 0) return addresses;
    throw new AddressRefused(
      hostname,
      `port ${port} is not ${httpsOnly ? '443, the port of https' : 'a web port'}`,
    );
  }
  const known = (
    await Promise.all(neighbours.map((origin) => resolved(origin.hostname, resolve).catch(() => [])))
  ).flat();
  const stranger = refused.find(({ address }) => !known.some((one) => one.address === address));
  // Without the address: whoever names the host must not learn the addresses of a private network.
  if (stranger) throw new AddressRefused(hostname, `its address is ${stranger.why}`);
  return addresses;
}

async function resolved(hostname: string, resolve: Resolve): Promise<LookupAddress[]> {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(bare);
  if (family !== 0) return [{ address: bare, family }];
  const addresses = await resolve(bare);
  if (addresses.length === 0) throw new AddressRefused(hostname, 'it has no address');
  return addresses;
}

const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

/** A lookup that returns the checked addresses, so that the name is not resolved a second time. */
function fixed(addresses: LookupAddress[]): LookupFunction {
  return (_hostname, { all }, done) => {
    const [first] = addresses;
    if (all) done(null, addresses);
    else done(null, first?.address ?? '', first?.family);
  };
}
