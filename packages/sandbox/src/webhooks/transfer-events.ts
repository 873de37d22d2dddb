import { type Address, parseAddress } from '@srr-gateway/common/address';
import { type Hex, isAddressEqual, type Log, parseEventLogs, zeroAddress } from 'viem';
import { collectionAbi } from '../chain/artifacts/abis.ts';

/** A reserved or made transfer, as the chain's events tell it. */
export interface TransferEvent {
  type: 'transfer_key' | 'transfer_complete';
  contract: Address;
  tokenId: string;
  txHash: Hex;
  /** What the webhook says of it beyond the record's identity. */
  details: Record<string, unknown>;
}

type Args = Record<string, unknown> & { tokenId: bigint };

/**
 * Reads the events of registry and collections. The way of a record to its buyer at issuance is part of
 * the issuance: `issue_complete` tells of it, and no event of its own.
 */
export function transferEvents(logs: Log[]): TransferEvent[] {
  const events = parseEventLogs({ abi: collectionAbi, logs, strict: true }).map((log) => ({
    name: log.eventName as string,
    args: log.args as unknown as Args,
    contract: log.address,
    txHash: log.transactionHash as Hex,
  }));
  const same = (one: (typeof events)[number], other: (typeof events)[number]) =>
    one.txHash === other.txHash && one.contract === other.contract && one.args.tokenId === other.args.tokenId;
  return events.flatMap((event): TransferEvent[] => {
    const { name, args } = event;
    const contract = parseAddress(event.contract.toLowerCase());
    if (contract === undefined) return [];
    const base = { contract, tokenId: `${args.tokenId}`, txHash: event.txHash };
    if (name === 'TransferReserved') {
      const { commitment, customHistoryId, sender } = args;
      const details = {
        status: 'reserved',
        transferCommitment: commitment,
        customHistoryId: history(customHistoryId),
        sender,
      };
      return [{ ...base, type: 'transfer_key', details }];
    }
    if (name !== 'Transfer' || isAddressEqual(args.from as Address, zeroAddress)) return [];
    if (events.some((other) => other.name === 'RecordCreated' && same(event, other))) return [];
    const provenance = events.find((other) => other.name === 'ProvenanceRecorded' && same(event, other));
    const details = {
      status: 'transferred',
      from: args.from,
      to: args.to,
      isIntermediary: provenance?.args.isIntermediary ?? false,
      metadataCID: provenance?.args.metadata || null,
      customHistoryId: history(provenance?.args.customHistoryId),
    };
    return [{ ...base, type: 'transfer_complete', details }];
  });
}

/** Histories count from 1; 0 says that there is none. */
function history(id: unknown): string | null {
  return typeof id === 'bigint' && id > 0n ? `${id}` : null;
}
