import type { FileCategory } from '../../commerce/commerce.ts';
import type { Fault } from '../../lib/errors.ts';
import type { EntryInput } from '../input.ts';
import { attachmentFaults } from './attachments.ts';
import { capFaults } from './cap-faults.ts';
import { duplicateFaults } from './duplicates.ts';
import { metadataFaults } from './metadata.ts';
import { metadataFileFaults } from './metadata-files.ts';

/** What is known besides the entries. */
export interface Known {
  vendorPrefix: string;
  /** The category of the file behind a finalUrl; undefined when the gateway has not seen the file. */
  categoryOf(url: string): FileCategory | undefined;
}

/** A fault below one entry: its path continues the entry's own. */
export type Check = (entry: EntryInput, known: Known) => Fault[];

const entryChecks: Check[] = [externalIdFaults, metadataFaults, metadataFileFaults, attachmentFaults];

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
  const duplicates = duplicateFaults(entries, known.vendorPrefix);
  return capFaults(
    entries.map((entry, index) =>
      [...entryChecks.flatMap((check) => check(entry, known)), ...(duplicates[index] ?? [])].map((fault) => ({
        ...fault,
        path: ['input', 'entries', `${index}`, ...(fault.path ?? [])],
        externalId: entry.externalId,
      })),
    ),
  );
}

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
