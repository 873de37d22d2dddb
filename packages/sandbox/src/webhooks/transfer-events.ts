import { type Address, parseAddress } from '@srr-gateway/common/address';
import { type Hex, isAddressEqual, type Log, parseEventLogs, zeroAddress } from 'viem';
import { collectionAbi } from '../chain/artifacts/abis.ts';

/** A reserved or completed transfer, read from the chain's events. */
export interface TransferEvent {
  type: 'transfer_key' | 'transfer_complete';
  contract: Address;
  tokenId: string;
  txHash: Hex;
  /** The fields of the webhook entry that do not identify the record. */
  details: Record<string, unknown>;
}

type Args = Record<string, unknown> & { tokenId: bigint };

/**
 * Reads the transfers from logs of the registry and of collections. The transfer to the recipient at issuance
 * is left out, because `issue_complete` reports it.
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

/** Ids of histories start at 1; 0 means none, which gives null. */
function history(id: unknown): string | null {
  return typeof id === 'bigint' && id > 0n ? `${id}` : null;
}
