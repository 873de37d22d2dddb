import type { Fault } from '../../lib/errors.ts';
import type { EntryInput } from '../input.ts';
import { duplicateFaults } from './duplicates.ts';
import { attachmentFaults, fileFaults } from './files.ts';
import { metadataFaults } from './metadata.ts';

/** A fault below one entry: its path continues the entry's own. */
export type Check = (entry: EntryInput, vendorPrefix: string) => Fault[];

const entryChecks: Check[] = [externalIdFaults, metadataFaults, fileFaults, attachmentFaults];

/**
 * Every rule that the interface lets a client check, all faults at once, each with its path into the
 * input. What only the service can know (quota, known artists, chips of others) is left to it.
 */
export function checkEntries(entries: EntryInput[], vendorPrefix: string): Fault[] {
  if (entries.length === 0)
    return [
      { code: 'INVALID_INPUT', message: 'Give at least one entry to issue.', path: ['input', 'entries'] },
    ];
  const faults = entries.flatMap((entry, index) =>
    entryChecks
      .flatMap((check) => check(entry, vendorPrefix))
      .map((fault) => ({
        ...fault,
        path: ['input', 'entries', `${index}`, ...(fault.path ?? [])],
        externalId: entry.externalId,
      })),
  );
  return [...faults, ...duplicateFaults(entries)];
}

function externalIdFaults(entry: EntryInput): Fault[] {
  if (entry.externalId.trim() !== '') return [];
  return [
    {
      code: 'EXTERNAL_ID_INVALID',
      message: 'Give the record a reference of your own; it should not be empty.',
      path: ['externalId'],
    },
  ];
}
