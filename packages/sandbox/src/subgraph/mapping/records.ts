import { type Address, type Hex, isAddressEqual, zeroAddress } from 'viem';
import type { Row } from '../store/columns.ts';
import { createdNow, type EventContext, lower, updatedNow } from './context.ts';
import { metadataHistoryId, provenanceId, srrId } from './ids.ts';

interface Token {
  tokenId: bigint;
}

/** Handlers of the events that the registry and collections share. */
export const recordHandlers = {
  Transfer: async (event: EventContext, args: Token & { from: Address; to: Address }): Promise<void> => {
    if (isAddressEqual(args.from, zeroAddress)) return mint(event, args);
    await event.store.update('SRR', idOf(event, args), {
      ownerAddress: lower(args.to),
      ...updatedNow(event),
    });
    await addProvenance(event, args, {
      from: lower(args.from),
      to: lower(args.to),
      metadataDigest: '',
      metadataURI: '',
      customHistory: null,
      isIntermediary: false,
      sender: null,
    });
  },

  RecordCreated: async (
    event: EventContext,
    args: Token & {
      issuer: Address;
      artist: Address;
      isPrimaryIssuer: boolean;
      lockExternalTransfer: boolean;
      metadata: string;
    },
  ): Promise<void> => {
    await event.store.update('SRR', idOf(event, args), {
      collection: event.address === event.registry ? null : event.address,
      isPrimaryIssuer: args.isPrimaryIssuer,
      artist: await licensedUser(event, args.artist),
      artistAddress: lower(args.artist),
      issuer: await licensedUser(event, args.issuer),
      metadataDigest: args.metadata,
      lockExternalTransfer: args.lockExternalTransfer,
      ...updatedNow(event),
    });
    await addMetadataHistory(event, args);
  },

  RoyaltySet: (
    event: EventContext,
    args: Token & { receiver: Address; basisPoints: bigint },
  ): Promise<void> =>
    event.store.update('SRR', idOf(event, args), {
      royaltyReceiver: lower(args.receiver),
      royaltyBasisPoints: Number(args.basisPoints),
      ...updatedNow(event),
    }),

  // `updatedAt` stays: a lock is no change of the record itself.
  LockChanged: (event: EventContext, args: Token & { lockExternalTransfer: boolean }): Promise<void> =>
    event.store.update('SRR', idOf(event, args), { lockExternalTransfer: args.lockExternalTransfer }),

  MetadataChanged: async (event: EventContext, args: Token & { metadata: string }): Promise<void> => {
    await event.store.update('SRR', idOf(event, args), {
      metadataDigest: args.metadata,
      ...updatedNow(event),
    });
    await addMetadataHistory(event, args);
  },

  ProvenanceRecorded: (
    event: EventContext,
    args: Token & {
      from: Address;
      to: Address;
      metadata: string;
      metadataURI: string;
      customHistoryId: bigint;
      isIntermediary: boolean;
      sender: Address;
    },
  ): Promise<void> =>
    addProvenance(event, args, {
      from: lower(args.from),
      to: lower(args.to),
      metadataDigest: args.metadata,
      metadataURI: args.metadataURI,
      customHistory: historyReference(args.customHistoryId),
      isIntermediary: args.isIntermediary,
      sender: lower(args.sender),
    }),

  TransferReserved: async (
    event: EventContext,
    args: Token & { commitment: Hex; customHistoryId: bigint; sender: Address },
  ): Promise<void> => {
    const id = idOf(event, args);
    await event.store.update('SRR', id, { transferCommitment: args.commitment, ...updatedNow(event) });
    const before = await event.store.get('SRRTransferCommit', id);
    await event.store.set('SRRTransferCommit', {
      ...createdNow(event),
      ...before,
      id,
      commitment: args.commitment,
      customHistory: historyReference(args.customHistoryId),
      lastAction: 'approve',
      sender: lower(args.sender),
      ...updatedNow(event),
    });
  },

  ReservationCancelled: (event: EventContext, args: Token & { sender: Address }): Promise<void> =>
    endReservation(event, args, 'cancel'),

  ReservationUsed: (event: EventContext, args: Token & { sender: Address }): Promise<void> =>
    endReservation(event, args, 'transfer'),
};

function idOf(event: EventContext, { tokenId }: Token): Hex {
  return srrId(event.address, tokenId);
}

async function mint(event: EventContext, args: Token & { to: Address }): Promise<void> {
  await event.store.set('SRR', {
    id: idOf(event, args),
    tokenId: args.tokenId.toString(),
    ownerAddress: lower(args.to),
    lockExternalTransfer: false,
    originChain: event.originChain,
    originTxHash: event.txHash,
    ...createdNow(event),
    ...updatedNow(event),
  });
}

async function licensedUser(event: EventContext, address: Address): Promise<string | null> {
  return (await event.store.get('LicensedUserWallet', lower(address)))?.id ?? null;
}

async function addProvenance(event: EventContext, token: Token, row: Omit<Row, 'id'>): Promise<void> {
  const srr = idOf(event, token);
  const id = provenanceId(srr, event.timestampMs);
  if (await event.store.get('SRRProvenance', id)) return;
  await event.store.set('SRRProvenance', {
    ...row,
    id,
    srr,
    timestamp: event.timestampMs,
    ...createdNow(event),
  });
}

async function addMetadataHistory(event: EventContext, args: Token & { metadata: string }): Promise<void> {
  await event.store.set('SRRMetadataHistory', {
    id: metadataHistoryId(event.txHash, event.logIndex, args.metadata),
    srr: idOf(event, args),
    metadataDigest: args.metadata,
    ...createdNow(event),
  });
}

async function endReservation(
  event: EventContext,
  args: Token & { sender: Address },
  lastAction: 'cancel' | 'transfer',
): Promise<void> {
  const id = idOf(event, args);
  await event.store.update('SRR', id, { transferCommitment: null, ...updatedNow(event) });
  await event.store.update('SRRTransferCommit', id, {
    commitment: null,
    lastAction,
    sender: lower(args.sender),
    ...updatedNow(event),
  });
}

/** Ids of histories start at 1; 0 means none, which gives null. */
function historyReference(customHistoryId: bigint): string | null {
  return customHistoryId === 0n ? null : customHistoryId.toString();
}
