import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { createHttpClient, type HttpClient } from './http.ts';
import { isPublicAddress } from './public-address.ts';

/** Why a guarded client did not connect: the address is one that no stranger may send us to. */
export class AddressRefused extends Error {
  constructor(hostname: string) {
    super(`${hostname} is not at a public address`);
    this.name = 'AddressRefused';
  }
}

// A host that does not answer a connection attempt by then is down or unroutable.
const connectMs = 5_000;

/**
 * A client for addresses that come from elsewhere: it connects to public hosts, and to the machines of the
 * origins that the operator configured, at their own port. Names are resolved and checked when the
 * connection is made, and it is made to what was checked: a name cannot change its mind in between.
 */
export function createGuardedHttpClient(options: {
  connections: number;
  configured: readonly URL[];
}): HttpClient {
  const agent = new Agent({
    connections: options.connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    connect: (target, done) => {
      checked(target.hostname, target.port || portOf(target.protocol), options.configured).then(
        (addresses) =>
          buildConnector({ timeout: connectMs, allowH2: false, lookup: fixed(addresses) })(target, done),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), null),
      );
    },
  });
  const client = createHttpClient({ connections: options.connections, dispatcher: agent });
  return { ...client, close: () => agent.destroy() };
}

const portOf = (protocol: string | null) => (protocol === 'https:' ? '443' : '80');

/** Every address of a host. @throws AddressRefused when one of them is out of bounds. */
async function checked(hostname: string, port: string, configured: readonly URL[]): Promise<LookupAddress[]> {
  const addresses = await resolved(hostname);
  if (addresses.every(({ address }) => isPublicAddress(address))) return addresses;
  const neighbours = configured.filter((origin) => (origin.port || portOf(origin.protocol)) === port);
  const known = (
    await Promise.all(neighbours.map((origin) => resolved(origin.hostname).catch(() => [])))
  ).flat();
  const allowed = ({ address }: LookupAddress) =>
    isPublicAddress(address) || known.some((one) => one.address === address);
  if (!addresses.every(allowed)) throw new AddressRefused(hostname);
  return addresses;
}

function resolved(hostname: string): Promise<LookupAddress[]> {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(bare);
  if (family !== 0) return Promise.resolve([{ address: bare, family }]);
  return new Promise((resolve, reject) => {
    lookup(bare, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}

/** Answers what was found before, so that nothing is resolved twice. */
function fixed(addresses: LookupAddress[]): LookupFunction {
  return (_hostname, { all }, done) => {
    const [first] = addresses;
    if (all) done(null, addresses);
    else done(null, first?.address ?? '', first?.family);
  };
}
