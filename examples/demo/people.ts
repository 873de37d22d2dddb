import { DemoError, type Gateway, retrying } from './client.ts';

/** The wallets that take part: who issues, who made the works, who buys one. */
export interface People {
  issuer: string;
  artists: string[];
  buyer: string;
}

/**
 * The token says who issues. Artist and buyer come from the command line, or from the sandbox, which
 * tells every program about its play wallets.
 */
export async function findPeople(
  gateway: Gateway,
  options: { url: string; sandbox: string; artist?: string | undefined; buyer?: string | undefined },
): Promise<People> {
  const { viewer } = await retrying(
    'reaching the gateway',
    () => gateway.request<{ viewer: { issuer: string } | null }>('{ viewer { issuer } }'),
    {
      // Long enough for a gateway that is just being started in the other terminal.
      patienceMs: 20_000,
      hint: 'Is `npm start` running in another terminal? If it says another address, name that with --url.',
    },
  );
  if (!viewer)
    throw new DemoError('The gateway does not know this token. Name one of its tokens with --token.');
  if (options.artist && options.buyer)
    return { issuer: viewer.issuer, artists: [options.artist], buyer: options.buyer };

  const world = await readSandbox(options.sandbox);
  const artists = options.artist ? [options.artist] : world.artists.map(({ address }) => address);
  const buyer = options.buyer ?? world.buyers[0]?.address;
  if (artists.length === 0 || !buyer)
    throw new DemoError('The sandbox has no artist or no buyer. Name them with --artist and --buyer.');
  return { issuer: viewer.issuer, artists, buyer };
}

interface World {
  artists: { address: string }[];
  buyers: { address: string }[];
}

async function readSandbox(address: string): Promise<World> {
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return (await response.json()) as World;
  } catch {
    throw new DemoError(
      `No sandbox answers at ${address}. Name its address with --sandbox; ` +
        'with a live service, name a known artist and a buyer with --artist and --buyer.',
    );
  }
}
