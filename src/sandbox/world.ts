import { createHash } from 'node:crypto';
import type { Address } from '../lib/address.ts';
import { sleep } from '../lib/time.ts';
import type { Chain } from './chain/chain.ts';
import type { Directory } from './licensing/directory.ts';

/** An inhabitant of the sandbox's world: fictional, and the same in every sandbox. */
interface Person {
  /** Decides the wallet's address; never change it. */
  key: string;
  englishName: string;
  originalName: string;
  userType: 'handler' | 'artist';
  /** Which play account owns the wallet. */
  owner: 0 | 1 | 2;
  /** A public play key: it opens nothing but a sandbox. */
  apiKey?: string;
  withdrawn?: boolean;
}

const people: readonly Person[] = [
  {
    key: 'lantern-hall',
    englishName: 'Lantern Hall Gallery',
    originalName: '灯火堂',
    userType: 'handler',
    owner: 0,
    apiKey: 'play-key-lantern-hall',
  },
  {
    key: 'northlight',
    englishName: 'Northlight Editions',
    originalName: 'Northlight Editions',
    userType: 'handler',
    owner: 1,
    apiKey: 'play-key-northlight',
  },
  {
    key: 'mio-asagiri',
    englishName: 'Mio Asagiri',
    originalName: '朝霧 澪',
    userType: 'artist',
    owner: 2,
  },
  {
    key: 'tomas-verhaal',
    englishName: 'Tomas Verhaal',
    originalName: 'Tomas Verhaal',
    userType: 'artist',
    owner: 2,
  },
  {
    key: 'ines-calderwood',
    englishName: 'Ines Calderwood',
    originalName: 'Inês Calderwood',
    userType: 'artist',
    owner: 2,
  },
  // Still on chain, but the service serves this wallet no more: what "Address not found" is about.
  {
    key: 'oskar-fielding',
    englishName: 'Oskar Fielding',
    originalName: 'Oskar Fielding',
    userType: 'artist',
    owner: 2,
    withdrawn: true,
  },
];

export interface World {
  /** The first is the default issuer of every example. */
  issuers: { address: Address; apiKey: string; name: string }[];
  artists: { address: Address; name: string }[];
  withdrawn: { address: Address; name: string }[];
  /** Plain wallets with public play keys, free to transfer what they own. */
  buyers: { address: Address; privateKey: `0x${string}` }[];
}

/** Brings chain and directory to the state in which these people exist; may be repeated at every start. */
export async function settleWorld(chain: Chain, directory: Directory): Promise<World> {
  const settling = Promise.all(
    people.map(async (person) => {
      const address = await chain.registerLicensedUser({
        englishName: person.englishName,
        originalName: person.originalName,
        userType: person.userType,
        owners: [chain.accounts.owners[person.owner]?.address ?? chain.accounts.operator.address],
        threshold: 1,
        salt: `0x${createHash('sha256').update(`srr-sandbox/${person.key}`).digest('hex')}`,
      });
      await directory.put({ ...person, address });
      return { ...person, address, name: person.englishName };
    }),
  );
  const settled = await minedAtOnce(chain, settling);
  const named = (some: typeof settled) => some.map(({ address, name }) => ({ address, name }));
  return {
    issuers: settled.flatMap(({ address, apiKey, name }) => (apiKey ? [{ address, apiKey, name }] : [])),
    artists: named(settled.filter(({ userType, withdrawn }) => userType === 'artist' && !withdrawn)),
    withdrawn: named(settled.filter(({ withdrawn }) => withdrawn)),
    buyers: chain.accounts.buyers,
  };
}

/** Far below any mining interval, and a registration is a few calls to the node long. */
const mineAgainMs = 10;

/** Nobody watches a world being set up: a first start need not wait for the next block. */
async function minedAtOnce<T>(chain: Chain, sending: Promise<T>): Promise<T> {
  let done = false;
  const result = sending.finally(() => {
    done = true;
  });
  while (!done) {
    await chain.mine().catch(() => {});
    await Promise.race([result.catch(() => {}), sleep(mineAgainMs)]);
  }
  return result;
}
