import type { Address } from '@srr-gateway/common/address';
import { entryMessages } from '../../http/messages.ts';
import type { EntryFailure } from '../../http/service-error.ts';
import type { PreparedEntry } from './prepare.ts';

/** Licensed artists, and the unique values that are taken: by records, and by earlier entries of the request. */
export interface Existing {
  artists: ReadonlySet<Address>;
  externalIds: Set<string>;
  /** Upper case. */
  chips: Set<string>;
  /** `<artist> <metadata CID>`. */
  metadata: Set<string>;
  /** `<collection or nothing> <token id>`. */
  tokens: Set<string>;
}

type EntryCheck = (entry: PreparedEntry, existing: Existing) => string | undefined;

const metadataKey = ({ entry, metadataCid }: PreparedEntry) => `${entry.artistAddress} ${metadataCid}`;
const tokenKey = ({ entry, tokenId }: PreparedEntry) => `${entry.collectionAddress ?? ''} ${tokenId}`;

/**
 * UIDs of 4 to 10 bytes in hexadecimal: every size that NFC and RFID standards define. All zeros or all ones
 * are refused: a reader shows them when it has read nothing.
 */
const chipForm = /^(?!0+$|f+$)([0-9a-f]{2}){4,10}$/i;

/**
 * In order; the first check that fails gives the entry's message. The externalId comes before chips and
 * metadata: a repeated request repeats those too, and a duplicate externalId tells the caller most.
 */
const checks: readonly EntryCheck[] = [
  ({ entry }, { artists }) => when(!artists.has(entry.artistAddress), entryMessages.unknownArtist),
  ({ entry }, { externalIds }) => when(externalIds.has(entry.externalId), entryMessages.duplicateExternalId),
  ({ chips }) => when(!chips.every((chip) => chipForm.test(chip)), entryMessages.invalidChip),
  ({ chips }, existing) => {
    const all = chips.map((chip) => chip.toUpperCase());
    const used = all.some((chip) => existing.chips.has(chip));
    return when(used || new Set(all).size < all.length, entryMessages.duplicateChip);
  },
  (entry, { metadata }) => when(metadata.has(metadataKey(entry)), entryMessages.duplicateMetadata),
  // Two metadata can have the same token id (one chance in 10^12). The contract could mint only one of them.
  (entry, { tokens }) => when(tokens.has(tokenKey(entry)), entryMessages.unknown(entry.entry.externalId)),
];

/**
 * Checks all entries; `undefined` when none fails. A batch is atomic: when one entry fails, the answer lists
 * the good ones as cancelled. Adds the values of each entry to `existing`.
 */
export function checkEntries(entries: PreparedEntry[], existing: Existing): EntryFailure[] | undefined {
  const faults = entries.map((entry) => {
    const fault = firstFault(entry, existing);
    existing.externalIds.add(entry.entry.externalId);
    for (const chip of entry.chips) existing.chips.add(chip.toUpperCase());
    existing.metadata.add(metadataKey(entry));
    existing.tokens.add(tokenKey(entry));
    return fault;
  });
  return failures(entries, faults);
}

/** The results of a batch, from the fault of each entry in the same order; `undefined` when none has one. */
export function failures(
  entries: PreparedEntry[],
  faults: (string | undefined)[],
): EntryFailure[] | undefined {
  if (faults.every((fault) => fault === undefined)) return undefined;
  return entries.map(({ entry }, index) => ({
    status: 'failed',
    externalId: entry.externalId,
    message: faults[index] ?? entryMessages.cancelled,
  }));
}

function firstFault(entry: PreparedEntry, existing: Existing): string | undefined {
  for (const check of checks) {
    const fault = check(entry, existing);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function when(condition: boolean, message: string): string | undefined {
  return condition ? message : undefined;
}
