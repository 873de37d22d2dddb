import type { Fault } from '../../lib/errors.ts';
import type { EntryInput } from '../input.ts';
import { capFaults } from './cap-faults.ts';
import { duplicateFaults } from './duplicates.ts';
import { attachmentFaults, fileFaults } from './files.ts';
import { metadataFaults } from './metadata.ts';

/** A fault below one entry: its path continues the entry's own. */
export type Check = (entry: EntryInput, vendorPrefix: string) => Fault[];

const entryChecks: Check[] = [externalIdFaults, metadataFaults, fileFaults, attachmentFaults];

/**
 * Every rule that the interface lets a client check, all faults at once, each with its path into the
 * input. What only the service can know (quota, known artists, chips of others) is left to it, and so is
 * what its document leaves open: nothing is refused here that it takes.
 */
export function checkEntries(entries: EntryInput[], vendorPrefix: string): Fault[] {
  if (entries.length === 0)
    return [
      { code: 'INVALID_INPUT', message: 'Give at least one entry to issue.', path: ['input', 'entries'] },
    ];
  const duplicates = duplicateFaults(entries, vendorPrefix);
  return capFaults(
    entries.map((entry, index) =>
      [...entryChecks.flatMap((check) => check(entry, vendorPrefix)), ...(duplicates[index] ?? [])].map(
        (fault) => ({
          ...fault,
          path: ['input', 'entries', `${index}`, ...(fault.path ?? [])],
          externalId: entry.externalId,
        }),
      ),
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
