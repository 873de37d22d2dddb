import type { FileCategory } from '../../clients/commerce/commerce.ts';
import type { Fault } from '../../model/errors.ts';
import type { EntryInput } from '../input.ts';
import { attachmentFaults } from './attachments.ts';
import { duplicateFaults } from './duplicates.ts';
import { limitFaults } from './limit-faults.ts';
import { metadataFaults } from './metadata.ts';
import { metadataFileFaults } from './metadata-files.ts';
import type { SchemaVerdict } from './schema-verdict.ts';

/** What is known besides the entries. */
export interface Known {
  vendorPrefix: string;
  /** The category of the file behind a finalUrl; undefined when the gateway has not seen the file. */
  categoryOf(url: string): FileCategory | undefined;
  /** By the schemas that could be fetched; the others are judged by the shipped ones. */
  verdicts?: ReadonlyMap<EntryInput, SchemaVerdict>;
}

/** A fault below one entry: its path continues the entry's own. */
export type Check = (entry: EntryInput, known: Known) => Fault[];

const entryChecks: Check[] = [
  externalIdFaults,
  toFaults,
  metadataFaults,
  metadataFileFaults,
  attachmentFaults,
];

/**
 * Every rule that the interface lets a client check, all faults at once, each with its path into the
 * input. What only the service can know (quota, known artists, chips of others) is left to it, and so is
 * what its document leaves open: nothing is refused here that it takes.
 */
export function checkEntries(entries: EntryInput[], known: Known): Fault[] {
  if (entries.length === 0)
    return [
      { code: 'INVALID_INPUT', message: 'Give at least one entry to issue.', path: ['input', 'entries'] },
    ];
  return limitFaults(entryFaults(entries, known));
}

/** The same as a list for each entry, however long. */
export function entryFaults(entries: EntryInput[], known: Known): Fault[][] {
  const duplicates = duplicateFaults(entries, known.vendorPrefix);
  return entries.map((entry, index) =>
    [...entryChecks.flatMap((check) => check(entry, known)), ...(duplicates[index] ?? [])].map(
      atEntry(entry, index),
    ),
  );
}

/** Makes a path below an entry one into the mutation's input. */
export const atEntry =
  ({ externalId }: EntryInput, index: number) =>
  (fault: Fault) => ({
    ...fault,
    path: ['input', 'entries', `${index}`, ...(fault.path ?? [])],
    externalId,
  });

function externalIdFaults(entry: EntryInput): Fault[] {
  // Blanks are a text that the service takes.
  if (entry.externalId !== '') return [];
  return [
    {
      code: 'EXTERNAL_ID_INVALID',
      message: 'Give the record a reference of your own; it should not be empty.',
      path: ['externalId'],
    },
  ];
}

/** Nobody holds the key of this address: the record would be lost. */
const zeros = `0x${'0'.repeat(40)}`;

function toFaults({ to }: EntryInput): Fault[] {
  if (to?.toLowerCase() !== zeros) return [];
  return [
    {
      code: 'ADDRESS_INVALID',
      message:
        'The address of zeros can own nothing. Give the recipient’s address, or leave "to" out: the issuer keeps the record.',
      path: ['to'],
    },
  ];
}
