import { canonicalJson } from '@srr-gateway/common/canonical-json';
import type { ErrorCode, Fault } from '../../model/errors.ts';
import type { EntryInput } from '../input.ts';
import { chipAlias } from '../metadata-document.ts';

/** A value that only one entry may have, and its path in the entry. */
interface Claim {
  key: string;
  path: string[];
}

interface Rule {
  code: ErrorCode;
  claims(entry: EntryInput, vendorPrefix: string): Claim[];
  message(key: string, holder: number): string;
}

/** Values that the service accepts only once, so that they must be unique in a batch. */
const rules: Rule[] = [
  {
    code: 'DUPLICATE_EXTERNAL_ID',
    claims: ({ externalId }) => (externalId === '' ? [] : [{ key: externalId, path: ['externalId'] }]),
    message: (key, holder) =>
      `externalId "${key.slice(0, 100)}" is also that of entry ${holder}; give each entry its own.`,
  },
  {
    code: 'DUPLICATE_CHIP',
    claims: chipsOf,
    message: (key, holder) =>
      `Chip ${key.slice(0, 100)} is also in entry ${holder}; a chip belongs to one record. Remove it from one of them.`,
  },
  {
    code: 'DUPLICATE_METADATA',
    claims: documentOf,
    message: (_, holder) =>
      `Metadata and artist equal those of entry ${holder}, and the service takes such a record once. Change or remove one of them.`,
  },
];

/** For each entry, a fault for each value that an earlier entry of the batch has, with its path below the entry. */
export function duplicateFaults(entries: EntryInput[], vendorPrefix: string): Fault[][] {
  const holders = new Map(rules.map((rule) => [rule, new Map<string, number>()]));
  return entries.map((entry, index) =>
    rules.flatMap((rule) => {
      const taken = holders.get(rule) as Map<string, number>;
      return rule.claims(entry, vendorPrefix).flatMap(({ key, path }): Fault[] => {
        const holder = taken.get(key) ?? index;
        taken.set(key, holder);
        // The service decides whether one record may name its chip twice.
        return holder === index ? [] : [{ code: rule.code, message: rule.message(key, holder), path }];
      });
    }),
  );
}

function chipsOf(entry: EntryInput, vendorPrefix: string): Claim[] {
  const json = (entry.metadataJson ?? {}) as Record<string, unknown>;
  const name = entry.metadata || json.chipUIDs !== undefined ? 'chipUIDs' : chipAlias(vendorPrefix);
  const chips = entry.metadata ? entry.metadata.chipUIDs : json[name];
  if (!Array.isArray(chips)) return [];
  return chips.flatMap((chip: unknown, i) =>
    typeof chip === 'string' ? [{ key: chip, path: [root(entry), name, `${i}`] }] : [],
  );
}

/**
 * Attachments are part of the key, because the document has their hashes: different attachments make a different
 * record.
 */
function documentOf(entry: EntryInput): Claim[] {
  const document = entry.metadata ?? entry.metadataJson;
  if (document === undefined) return [];
  const files = entry.attachments.map(({ category, file }) => [category, file]);
  return [{ key: canonicalJson([entry.artistAddress, document, files]), path: [root(entry)] }];
}

const root = (entry: EntryInput) => (entry.metadata ? 'metadata' : 'metadataJson');
