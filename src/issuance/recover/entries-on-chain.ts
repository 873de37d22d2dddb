import { type RecordKey, recordKeyOfRow, recordKeyText } from '../../model/record.ts';
import type { EntryRow, FlowDeps } from '../flow.ts';

/** Asks the subgraph which of these entries, which all have token ids, have their records on chain. */
export async function entriesOnChain<Entry extends Pick<EntryRow, 'token_id' | 'collection_address'>>(
  deps: Pick<FlowDeps, 'mintedOf'>,
  entries: Entry[],
  signal: AbortSignal,
): Promise<{ entry: Entry; record: RecordKey }[]> {
  if (entries.length === 0) return [];
  const pairs = entries.map((entry) => ({ entry, record: recordKeyOfRow(entry) }));
  const { minted } = await deps.mintedOf(
    pairs.map(({ record }) => record),
    signal,
  );
  const shown = new Set(minted.map(recordKeyText));
  return pairs.filter(({ record }) => shown.has(recordKeyText(record)));
}
