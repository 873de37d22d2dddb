import { type Address, type Hex, isAddressEqual, zeroAddress } from 'viem';
import { createdNow, type EventContext, lower, updatedNow } from './context.ts';

export const collectionFactoryHandlers = {
  CollectionCreated: (
    event: EventContext,
    args: { collection: Address; owner: Address; name: string; symbol: string; salt: Hex },
  ): Promise<void> =>
    event.store.set('Collection', {
      id: lower(args.collection),
      name: args.name,
      symbol: args.symbol,
      salt: args.salt,
      ownerAddress: lower(args.owner),
      creatorAddress: lower(args.owner),
      ...createdNow(event),
      ...updatedNow(event),
    }),
};

export const collectionHandlers = {
  OwnershipTransferred: async (
    event: EventContext,
    args: { previousOwner: Address; newOwner: Address },
  ): Promise<void> => {
    // Skip the transfer at creation: CollectionCreated has the first owner.
    if (isAddressEqual(args.previousOwner, zeroAddress)) return;
    await event.store.update('Collection', event.address, {
      ownerAddress: lower(args.newOwner),
      ...updatedNow(event),
    });
  },
};
