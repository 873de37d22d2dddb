import type { Address } from '@srr-gateway/common/address';
import DataLoader from 'dataloader';
import { type EntryKey, entryKeyText } from '../model/entry-key.ts';
import { type RecordKey, recordKeyOfRow, recordKeyText } from '../model/record.ts';
import type { EntryRow, IssuanceRow } from './flow.ts';
import type { IssuanceReads, Progress } from './read.ts';

export type IssuanceLoaders = ReturnType<typeof issuanceLoaders>;

/** Creates the loaders of an issuer's own issuances, for one execution. For an anonymous caller they find nothing. */
export function issuanceLoaders(reads: IssuanceReads, issuer: Address | undefined) {
  return {
    byId: new DataLoader<string, IssuanceRow | null>(async (ids) => {
      const rows = issuer ? await reads.byIds(issuer, ids) : [];
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? null);
    }),
    progress: new DataLoader<string, Progress>(async (ids) => {
      const found = issuer ? await reads.progress(issuer, ids) : new Map<string, Progress>();
      return ids.map((id) => found.get(id) ?? new Error(`issuance ${id} has no entries`));
    }),
    /** The issuer's entry at its index in an issuance. */
    entryAt: new DataLoader<EntryKey, EntryRow | null, string>(
      async (keys) => {
        const rows = issuer ? await reads.entriesAt(issuer, keys) : [];
        const found = new Map(
          rows.map((row) => [entryKeyText({ issuanceId: row.issuance_id, index: row.index }), row]),
        );
        return keys.map((key) => found.get(entryKeyText(key)) ?? null);
      },
      { cacheKeyFn: entryKeyText },
    ),
    /**
     * The issuer's entry for a token. Of several, returns the issued one, else the one that waits for mining, else
     * the newest.
     */
    entryOfToken: new DataLoader<RecordKey, EntryRow | null, string>(
      async (tokens) => {
        const rows = issuer ? await reads.entriesOfTokens(issuer, tokens) : [];
        const found = new Map(rows.map((row) => [recordKeyText(recordKeyOfRow(row)), row]));
        return tokens.map((token) => found.get(recordKeyText(token)) ?? null);
      },
      { cacheKeyFn: recordKeyText },
    ),
    /** The issuer's entry with this externalId, by the same rule. */
    entryOfExternalId: new DataLoader<string, EntryRow | null>(async (externalIds) => {
      const rows = issuer ? await reads.entriesOfExternalIds(issuer, externalIds) : [];
      const found = new Map(rows.map((row) => [row.external_id, row]));
      return externalIds.map((externalId) => found.get(externalId) ?? null);
    }),
  };
}
