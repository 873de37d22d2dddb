import type { Address } from '@srr-gateway/common/address';
import { entryMessages } from '../../http/messages.ts';
import type { EntryFailure } from '../../http/service-error.ts';
import type { PreparedEntry } from './prepare.ts';

/** What the database already has: licensed artists, and the values that must be unique. */
export interface Existing {
  artists: ReadonlySet<Address>;
  externalIds: ReadonlySet<string>;
  /** Upper case. */
  chips: ReadonlySet<string>;
  /** `<artist> <metadata CID>`. */
  metadata: ReadonlySet<string>;
  /** `<collection or nothing> <token id>`. */
  tokens: ReadonlySet<string>;
}

/** Unique values of the earlier entries of the same request. */
type Taken = Record<'externalIds' | 'chips' | 'metadata' | 'tokens', Set<string>>;

type EntryCheck = (entry: PreparedEntry, known: Existing, taken: Taken) => string | undefined;

export const metadataKey = ({ entry, metadataCid }: PreparedEntry) => `${entry.artistAddress} ${metadataCid}`;
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
  ({ entry }, { externalIds }, taken) =>
    when(
      externalIds.has(entry.externalId) || taken.externalIds.has(entry.externalId),
      entryMessages.duplicateExternalId,
    ),
  ({ chips }) => when(!chips.every((chip) => chipForm.test(chip)), entryMessages.invalidChip),
  ({ chips }, known, taken) => {
    const all = chips.map((chip) => chip.toUpperCase());
    const used = all.some((chip) => known.chips.has(chip) || taken.chips.has(chip));
    return when(used || new Set(all).size < all.length, entryMessages.duplicateChip);
  },
  (entry, { metadata }, taken) =>
    when(
      metadata.has(metadataKey(entry)) || taken.metadata.has(metadataKey(entry)),
      entryMessages.duplicateMetadata,
    ),
  // Two metadata can have the same token id (one chance in 10^12). The contract could mint only one of them.
  (entry, { tokens }, taken) =>
    when(
      tokens.has(tokenKey(entry)) || taken.tokens.has(tokenKey(entry)),
      entryMessages.unknown(entry.entry.externalId),
    ),
];

/**
 * Checks all entries; `undefined` when none fails. A batch is atomic: when one entry fails, the answer lists
 * the good ones as cancelled.
 */
export function checkEntries(entries: PreparedEntry[], known: Existing): EntryFailure[] | undefined {
  const taken: Taken = {
    externalIds: new Set(),
    chips: new Set(),
    metadata: new Set(),
    tokens: new Set(),
  };
  const faults = entries.map((entry) => {
    const fault = firstFault(entry, known, taken);
    taken.externalIds.add(entry.entry.externalId);
    for (const chip of entry.chips) taken.chips.add(chip.toUpperCase());
    taken.metadata.add(metadataKey(entry));
    taken.tokens.add(tokenKey(entry));
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

function firstFault(entry: PreparedEntry, known: Existing, taken: Taken): string | undefined {
  for (const check of checks) {
    const fault = check(entry, known, taken);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function when(condition: boolean, message: string): string | undefined {
  return condition ? message : undefined;
}
