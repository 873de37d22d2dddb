import { sleep } from '@srr-gateway/common/time';
import { z } from 'zod';
import type { Chain } from '../chain/chain.ts';
import { address, bytes32 } from '../http/values.ts';
import type { Directory } from './directory.ts';
import { type Person, walletSalt } from './people.ts';

const named = z.object({ address, name: z.string() });

export const world = z.object({
  issuers: z
    .array(named.extend({ apiKey: z.string() }))
    .describe('The first is the default issuer of every example.'),
  artists: z.array(named),
  withdrawn: z.array(named).describe('Former licensed users, whose licences were withdrawn.'),
  buyers: z
    .array(z.object({ address, privateKey: bytes32 }))
    .describe('Plain wallets with public play keys, free to transfer what they own.'),
});
export type World = z.infer<typeof world>;

/** Registers these people on the chain and in the directory. Safe to repeat at every start. */
export async function registerParticipants(
  chain: Chain,
  directory: Directory,
  people: readonly Person[],
): Promise<World> {
  const settling = Promise.all(
    people.map(async (person) => {
      const address = await chain.registerLicensedUser({
        englishName: person.englishName,
        originalName: person.originalName,
        userType: person.userType,
        owners: person.owners.map(
          (owner) => chain.accounts.owners[owner]?.address ?? chain.accounts.operator.address,
        ),
        threshold: person.threshold,
        salt: walletSalt(person.key),
      });
      await directory.put({ ...person, address });
      return { ...person, address, name: person.englishName };
    }),
  );
  const settled = await mineImmediately(chain, settling);
  const named = (some: typeof settled) => some.map(({ address, name }) => ({ address, name }));
  return {
    issuers: settled.flatMap(({ address, apiKey, name }) => (apiKey ? [{ address, apiKey, name }] : [])),
    artists: named(settled.filter(({ userType, withdrawn }) => userType === 'artist' && !withdrawn)),
    withdrawn: named(settled.filter(({ withdrawn }) => withdrawn)),
    buyers: chain.accounts.buyers,
  };
}

/** Far shorter than a mining interval by default; a registration takes a few calls to the node. */
const mineEveryMs = 10;

/** Mines transactions at once, so that a first start does not wait for the mining interval. */
async function mineImmediately<T>(chain: Chain, sending: Promise<T>): Promise<T> {
  let done = false;
  const result = sending.finally(() => {
    done = true;
  });
  while (!done) {
    await chain.mine().catch(() => {});
    await Promise.race([result.catch(() => {}), sleep(mineEveryMs)]);
  }
  return result;
}
