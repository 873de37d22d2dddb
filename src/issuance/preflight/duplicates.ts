import { canonicalJson } from '../../lib/canonical-json.ts';
import type { ErrorCode, Fault } from '../../lib/errors.ts';
import type { EntryInput } from '../input.ts';

interface Rule {
  code: ErrorCode;
  pathOf(entry: EntryInput): string[];
  keysOf(entry: EntryInput): string[];
  message(key: string): string;
}

/** What may stand only once in a batch, as it may only once at the service. */
const rules: Rule[] = [
  {
    code: 'DUPLICATE_EXTERNAL_ID',
    pathOf: () => ['externalId'],
    keysOf: (entry) => [entry.externalId],
    message: (key) => `externalId "${key}" stands in an earlier entry; each record needs its own.`,
  },
  {
    code: 'DUPLICATE_CHIP',
    pathOf: (entry) => [...metadataPath(entry), 'chipUIDs'],
    keysOf: chipsOf,
    message: (key) => `Chip ${key} stands in an earlier entry; a chip belongs to one record.`,
  },
  {
    code: 'DUPLICATE_METADATA',
    pathOf: metadataPath,
    keysOf: (entry) => [
      canonicalJson([entry.artistAddress, entry.metadata ?? entry.metadataJson ?? entry.externalId]),
    ],
    message: () => 'An earlier entry has the same metadata and artist; they would be one record.',
  },
];

export function duplicateFaults(entries: EntryInput[]): Fault[] {
  return rules.flatMap((rule) => {
    const seen = new Set<string>();
    return entries.flatMap((entry, index) =>
      rule.keysOf(entry).flatMap((key): Fault[] => {
        if (!seen.has(key)) {
          seen.add(key);
          return [];
        }
        const path = ['input', 'entries', `${index}`, ...rule.pathOf(entry)];
        return [{ code: rule.code, message: rule.message(key), path, externalId: entry.externalId }];
      }),
    );
  });
}

function chipsOf(entry: EntryInput): string[] {
  const json = entry.metadataJson as Record<string, unknown> | null | undefined;
  const chips = entry.metadata?.chipUIDs ?? json?.chipUIDs;
  return Array.isArray(chips) ? chips.filter((chip) => typeof chip === 'string') : [];
}

function metadataPath(entry: EntryInput): string[] {
  return [entry.metadata ? 'metadata' : 'metadataJson'];
}
