import type { Address } from '@srr-gateway/common/address';
import { entryKeyText } from '../../model/entry-key.ts';
import type { MintedRecord } from '../../model/record.ts';
import type { Db } from '../../store/store.ts';
import { decide } from '../decision-table.ts';
import { decisionStateOf, entryStates } from '../entry-state.ts';
import type { BatchRow, EntryRow } from '../flow.ts';
import { lockAll } from '../transition.ts';
import { Settlement } from './settlement.ts';

/** An entry and the record on chain that belongs to it. */
export interface Found {
  entry: Pick<EntryRow, 'issuance_id' | 'index'>;
  record: Pick<MintedRecord, 'tokenId' | 'collection'> & { metadataCID?: string | null };
}

/**
 * Settles entries whose records the subgraph shows. The caller holds the lock of the issuer's log.
 * @param accepted A batch that the subgraph proves accepted, even if its records cannot be matched to entries.
 */
export async function settleIndexed(
  trx: Db,
  issuer: Address,
  found: Found[],
  watchMs: number,
  accepted?: Pick<BatchRow, 'issuance_id' | 'index'>,
): Promise<void> {
  const keys = found.map(({ entry }) => ({ issuanceId: entry.issuance_id, index: entry.index }));
  // Lock in the order of ids, as every transaction does, before reading the entries.
  const ids = new Set(keys.map(({ issuanceId }) => issuanceId));
  if (accepted) ids.add(accepted.issuance_id);
  const issuances = await lockAll(trx, issuer, [...ids]);
  const states = await entryStates(trx, issuer, keys);
  const settlement = new Settlement(trx, issuer, watchMs, issuances);
  if (accepted) settlement.acceptBatch(accepted);
  for (const [i, { record }] of found.entries()) {
    const entry = states.get(entryKeyText(keys[i] as (typeof keys)[number]));
    if (!entry || decide('SUBGRAPH_SHOWS', decisionStateOf(entry)) !== 'ISSUED') continue;
    settlement.accept(entry);
    const { tokenId, collection, metadataCID } = record;
    settlement.settle(entry, { status: 'ISSUED', source: 'SUBGRAPH', tokenId, collection, metadataCID });
  }
  await settlement.write();
}
