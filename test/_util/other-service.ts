import { setTimeout as sleep } from 'node:timers/promises';
import { Chain } from './other-service/chain.ts';
import { ContentGateway } from './other-service/content-gateway.ts';
import { Deliveries } from './other-service/deliveries.ts';
import { Files } from './other-service/files.ts';
import { subjectOf, timesOf, updated } from './other-service/mint.ts';
import { routes, surfaceOf } from './other-service/routes.ts';
import { SubgraphServer } from './other-service/subgraph-server.ts';
import { plainVariants, type Surface, type Variants } from './other-service/variants.ts';
import { type SeenRequest, Web } from './other-service/web.ts';
import type { Account, World } from './other-service/world.ts';

export type { ChainRecord } from './other-service/chain.ts';
export { srrIdOf, tokenIdOf } from './other-service/ids.ts';
export { type InjectedFault, serviceFaults } from './other-service/injected-fault.ts';
export { plainVariants, type Variants } from './other-service/variants.ts';
export type { SeenRequest } from './other-service/web.ts';
export type { Account } from './other-service/world.ts';

export const registry = '0x1111111111111111111111111111111111111111';
const factory = '0x2222222222222222222222222222222222222222';

/**
 * A second issuance service in memory, written from the document and not from the sandbox, so that two
 * readings of the same text are compared. Where the document leaves a choice, `variants` decides.
 */
export interface OtherService {
  /** `COMMERCE_URL`, `SUBGRAPH_URL` and the one of `IPFS_GATEWAYS`. */
  commerceUrl: string;
  subgraphUrl: string;
  ipfsUrl: string;
  accounts: Account[];
  artist: string;
  /** Change it at any time. */
  variants: Variants;
  chain: Chain;
  deliveries: Deliveries;
  files: Files;
  index: SubgraphServer;
  /** The complete requests in the order of their arrival, of all surfaces or of one. */
  requests(surface?: Surface): SeenRequest[];
  /** Delivers an outcome, true or not, in the form of the variants; of the first account if it is unknown. */
  enqueueDelivery(kind: 'issued' | 'failed', externalId: string, message?: string): void;
  /** Resets the variants; keeps everything that was stored, minted and received. */
  plain(): void;
  /** Waits until no transaction and no delivery is pending; those on hold must be decided before. */
  quiet(): Promise<void>;
  stop(): Promise<void>;
}

/** Makes a block every `blockMs` milliseconds; 0: only when the test calls for one. */
export async function startOtherService({ blockMs = 20, accounts = 2 } = {}): Promise<OtherService> {
  const variants = plainVariants();
  const chain = new Chain(variants);
  const wallets = Array.from(
    { length: accounts },
    (_, i): Account => ({
      address: `0x${String(i + 1)
        .padStart(4, '0')
        .repeat(10)}`,
      apiKey: `other-service-key-${i}`,
      webhook: undefined,
    }),
  );
  const artist = `0x${'a0'.repeat(20)}`;
  const files = new Files(variants);
  const deliveries = new Deliveries(variants, wallets);
  const content = new ContentGateway(variants);
  const world: World = {
    variants,
    chain,
    files,
    deliveries,
    accounts: wallets,
    wallets: new Set([...wallets.map(({ address }) => address), artist]),
    registry,
    factory,
    url: () => web.url,
    cdn: () => web.url,
    publish: (tree) => content.publish(tree),
    accepted: new Map(),
  };
  for (const wallet of world.wallets) putWallet(chain, wallet, wallet === artist);
  const index = new SubgraphServer(world);
  const web = await Web.listen(routes(world, index, content));
  chain.advanceEvery(blockMs);
  return {
    commerceUrl: web.url,
    subgraphUrl: `${web.url}/index`,
    ipfsUrl: web.url,
    accounts: wallets,
    artist,
    variants,
    chain,
    deliveries,
    files,
    index,
    requests: (surface) =>
      web.requests.filter((request) => surface === undefined || surfaceOf(request) === surface),
    enqueueDelivery: (kind, externalId, message) => {
      const known = world.accepted.get(externalId);
      const subject = known ? subjectOf(world, known) : { about: 'RECORD' as const, externalId };
      deliveries.enqueue(kind, known?.issuer ?? (wallets[0] as Account).address, subject, message);
    },
    plain: () => Object.assign(variants, plainVariants()),
    quiet: async () => {
      while (chain.pending.length > 0 || deliveries.busy) await sleep(5);
    },
    stop: async () => {
      chain.stop();
      deliveries.stop();
      await web.close();
    },
  };
}

function putWallet({ ledger, head }: Chain, address: string, isArtist: boolean): void {
  const times = timesOf(head);
  const row = {
    id: address,
    walletAddress: address,
    threshold: 1,
    englishName: isArtist ? 'An artist' : 'A gallery',
    originalName: isArtist ? '作家' : '画廊',
    userType: isArtist ? 'artist' : 'handler',
    owners: [address],
    salt: `0x${'0'.repeat(64)}`,
    originChain: null,
    ...times,
    ...updated(times),
  };
  ledger.put('LicensedUserWallet', row, head.number);
}
