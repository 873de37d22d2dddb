import type { Address, Hex } from 'viem';
import { userTypes } from '../../chain/operator.ts';
import { createdNow, type EventContext, lower, updatedNow } from './context.ts';

interface Profile {
  wallet: Address;
  englishName: string;
  originalName: string;
  userType: number;
}

export const licensedUserHandlers = {
  LicensedUserRegistered: async (
    event: EventContext,
    args: Profile & { owners: readonly Address[]; threshold: bigint; salt: Hex },
  ): Promise<void> => {
    await event.store.set('LicensedUserWallet', {
      id: lower(args.wallet),
      walletAddress: lower(args.wallet),
      threshold: Number(args.threshold),
      ...names(args),
      owners: args.owners.map(lower),
      salt: args.salt,
      // Only wallets migrated from another chain have an origin chain.
      originChain: null,
      ...createdNow(event),
      ...updatedNow(event),
    });
  },

  LicensedUserChanged: (event: EventContext, args: Profile): Promise<void> =>
    event.store.update('LicensedUserWallet', lower(args.wallet), { ...names(args), ...updatedNow(event) }),
};

function names({ englishName, originalName, userType }: Profile) {
  return { englishName, originalName, userType: userTypes[userType] ?? 'handler' };
}
