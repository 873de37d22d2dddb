import type { Address } from 'viem';
import { createdNow, type EventContext, lower, updatedNow } from './context.ts';
import { customHistoryMetadataHistoryId, srrHistoryId, srrId } from './ids.ts';

interface Named {
  historyId: bigint;
  name: string;
  metadata: string;
}

export const customHistoryHandlers = {
  TypeAdded: (event: EventContext, args: { typeId: bigint; name: string }): Promise<void> =>
    event.store.set('CustomHistoryType', {
      id: args.typeId.toString(),
      name: args.name,
      ...createdNow(event),
    }),

  HistoryAdded: (event: EventContext, args: Named & { typeId: bigint }): Promise<void> =>
    event.store.set('CustomHistory', {
      id: args.historyId.toString(),
      historyType: args.typeId.toString(),
      name: args.name,
      metadataDigest: args.metadata,
      originChain: event.originChain,
      originTxHash: event.txHash,
      ...createdNow(event),
      ...updatedNow(event),
    }),

  HistoryChanged: async (event: EventContext, args: Named): Promise<void> => {
    const id = args.historyId.toString();
    const previous = await event.store.get('CustomHistory', id);
    if (!previous) return;
    const { name = '', metadataDigest } = previous;
    await event.store.set('CustomHistoryMetadataHistory', {
      id: customHistoryMetadataHistoryId(String(metadataDigest), event.timestampMs),
      name,
      metadataDigest: String(metadataDigest),
      customHistory: id,
      ...createdNow(event),
    });
    await event.store.update('CustomHistory', id, {
      name: args.name,
      metadataDigest: args.metadata,
      ...updatedNow(event),
    });
  },

  RecordAdded: async (
    event: EventContext,
    args: { historyId: bigint; token: Address; tokenId: bigint },
  ): Promise<void> => {
    const srr = srrId(lower(args.token), args.tokenId);
    if (!(await event.store.get('SRR', srr))) return;
    const customHistory = args.historyId.toString();
    const id = srrHistoryId(srr, customHistory);
    if (await event.store.get('SRRHistory', id)) return;
    await event.store.set('SRRHistory', { id, srr, customHistory, ...createdNow(event) });
  },
};
