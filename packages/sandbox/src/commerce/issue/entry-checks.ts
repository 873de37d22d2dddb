import type { Address } from '@srr-gateway/common/address';
import type { EntryFailure } from '../../http/service-error.ts';
import { entryMessages } from '../messages.ts';
import type { PreparedEntry } from './prepare.ts';

/** What the store already holds of the values that must be unique. */
export interface Known {
  artists: ReadonlySet<Address>;
  externalIds: ReadonlySet<string>;
  /** Upper case. */
  chips: ReadonlySet<string>;
  /** `<artist> <metadata CID>`. */
  metadata: ReadonlySet<string>;
  /** `<collection or nothing> <token id>`. */
  tokens: ReadonlySet<string>;
}

/** What the entries before this one in the same request take. */
type Taken = Record<'externalIds' | 'chips' | 'metadata' | 'tokens', Set<string>>;

type EntryCheck = (entry: PreparedEntry, known: Known, taken: Taken) => string | undefined;

export const metadataKey = ({ entry, metadataCid }: PreparedEntry) => `${entry.artistAddress} ${metadataCid}`;
export const tokenKey = ({ entry, tokenId }: PreparedEntry) => `${entry.collectionAddress ?? ''} ${tokenId}`;

/**
 * UIDs of 4 to 10 bytes in hexadecimal: every size that NFC and RFID standards define. What a reader
 * shows when it has read nothing, all zeros or all ones, is no tag.
 */
const chipForm = /^(?!0+$|f+$)([0-9a-f]{2}){4,10}$/i;

/**
 * In order; the first that fails names the entry's fault. The externalId comes before everything that a
 * repeated request repeats too, since it tells a caller most.
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
  // Other metadata with the same id: one in 10^12, but the contract could mint only one of the two.
  (entry, { tokens }, taken) =>
    when(
      tokens.has(tokenKey(entry)) || taken.tokens.has(tokenKey(entry)),
      entryMessages.unknown(entry.entry.externalId),
    ),
];

/** The answer to a batch of which any entry fails: atomic, so the good ones are cancelled with it. */
export function checkEntries(entries: PreparedEntry[], known: Known): EntryFailure[] | undefined {
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

/** The answer to entries of which some have faults; `undefined` when none has. */
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

function firstFault(entry: PreparedEntry, known: Known, taken: Taken): string | undefined {
  for (const check of checks) {
    const fault = check(entry, known, taken);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function when(condition: boolean, message: string): string | undefined {
  return condition ? message : undefined;
}
