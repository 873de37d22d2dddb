import type { Fault } from '../../model/errors.ts';
import type { FileCategory } from '../../model/file.ts';
import type { EntryInput } from '../input.ts';
import { duplicateFaults } from './duplicates.ts';
import { attachmentFaults, metadataFileFaults } from './entry-files.ts';
import { limitFaults } from './limit-faults.ts';
import { metadataFaults } from './metadata.ts';
import type { SchemaResult } from './schema-results.ts';

/** What the checks depend on besides the entries. */
export interface CheckContext {
  vendorPrefix: string;
  /** The category of the file behind a finalUrl; undefined when the gateway has not seen the file. */
  categoryOf(url: string): FileCategory | undefined;
  /** Results of the schemas that could be fetched. An entry without one is checked by the shipped schema. */
  schemaResults?: ReadonlyMap<EntryInput, SchemaResult>;
}

/** Checks one entry. The paths of its faults begin below the entry. */
type Check = (entry: EntryInput, context: CheckContext) => Fault[];

const entryChecks: Check[] = [
  externalIdFaults,
  toFaults,
  metadataFaults,
  metadataFileFaults,
  attachmentFaults,
];

/**
 * Checks all rules that need no call to the service, and returns all faults with their paths in the input;
 * `limitFaults` shortens a long list. Leaves to the service what only it knows (quota, known artists, chips of other
 * issuers) and what its document leaves open: never refuses what the service would accept.
 */
export function checkEntries(entries: EntryInput[], context: CheckContext): Fault[] {
  if (entries.length === 0)
    return [
      { code: 'INVALID_INPUT', message: 'Give at least one entry to issue.', path: ['input', 'entries'] },
    ];
  return limitFaults(entryFaults(entries, context));
}

/** The same faults as a list for each entry, not shortened. */
export function entryFaults(entries: EntryInput[], context: CheckContext): Fault[][] {
  const duplicates = duplicateFaults(entries, context.vendorPrefix);
  return entries.map((entry, index) =>
    [...entryChecks.flatMap((check) => check(entry, context)), ...(duplicates[index] ?? [])].map(
      atEntry(entry, index),
    ),
  );
}

/** Turns a fault's path below an entry into one of the mutation's input, and adds the externalId. */
export const atEntry =
  ({ externalId }: EntryInput, index: number) =>
  (fault: Fault) => ({
    ...fault,
    path: ['input', 'entries', `${index}`, ...(fault.path ?? [])],
    externalId,
  });

function externalIdFaults(entry: EntryInput): Fault[] {
  // The service accepts an externalId of blanks.
  if (entry.externalId !== '') return [];
  return [
    {
      code: 'EXTERNAL_ID_INVALID',
      message: 'externalId is empty. Give the record a reference of your own.',
      path: ['externalId'],
    },
  ];
}

/** Nobody has the private key of this address, so the record would be lost. */
const zeros = `0x${'0'.repeat(40)}`;

function toFaults({ to }: EntryInput): Fault[] {
  if (to?.toLowerCase() !== zeros) return [];
  return [
    {
      code: 'ADDRESS_INVALID',
      message:
        '"to" is the zero address, which cannot own a record. Give the recipient’s address, or leave "to" out: then the issuer owns the record.',
      path: ['to'],
    },
  ];
}
