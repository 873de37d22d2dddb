import type { Fault } from '../../lib/errors.ts';
import type { EntryInput } from '../input.ts';
import { chipAlias } from '../metadata-document.ts';

/** Versions that the commerce API takes. */
const schemaVersions = ['2.0', '2.1', '2.2'];
const sizeUnits = ['mm', 'cm', 'm', 'in', 'ft', 'pixel'];
const required = ['$schema', 'name', 'title', 'thumbnailURL', 'image', 'medium', 'yearOfCreation'];

const invalid = (path: string[], message: string): Fault => ({ code: 'METADATA_INVALID', message, path });

/** Rules of the metadata document, whichever way it was given. */
export function metadataFaults(entry: EntryInput, vendorPrefix: string): Fault[] {
  const { metadata, metadataJson } = entry;
  if (metadata && metadataJson !== undefined)
    return [invalid(['metadataJson'], 'Give the metadata once: either metadata or metadataJson.')];
  if (metadata)
    return [
      ...versionFaults(metadata.schemaVersion),
      ...unitFaults(['metadata', 'size', 'unit'], metadata.size?.unit),
      ...royaltyFaults(['metadata', 'contractTerms', 'royaltyRate'], metadata.contractTerms?.royaltyRate),
    ];
  if (metadataJson === undefined)
    return [
      {
        code: 'METADATA_MISSING',
        message: 'Give the record its metadata, as metadata or as metadataJson.',
        path: ['metadata'],
      },
    ];
  return documentFaults(metadataJson, vendorPrefix);
}

function documentFaults(value: unknown, vendorPrefix: string): Fault[] {
  const root = ['metadataJson'];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [invalid(root, 'metadataJson must be a JSON object: the SRR metadata document.')];
  const document = value as Record<string, unknown>;
  const terms = document.contractTerms as Record<string, unknown> | undefined;
  const size = document.size as Record<string, unknown> | undefined;
  const alias = chipAlias(vendorPrefix);
  const faults = required
    .filter((name) => document[name] === undefined)
    .map((name) => invalid([...root, name], `The metadata document needs ${name}.`));
  faults.push(...unitFaults([...root, 'size', 'unit'], size?.unit));
  faults.push(...royaltyFaults([...root, 'contractTerms', 'royaltyRate'], terms?.royaltyRate));
  if (document.chipUIDs !== undefined && document[alias] !== undefined)
    if (JSON.stringify(document.chipUIDs) !== JSON.stringify(document[alias]))
      faults.push(invalid([...root, alias], `${alias} must hold the same values as chipUIDs; leave it out.`));
  return faults;
}

function versionFaults(version: string): Fault[] {
  return schemaVersions.includes(version)
    ? []
    : [invalid(['metadata', 'schemaVersion'], `schemaVersion must be one of ${schemaVersions.join(', ')}.`)];
}

function unitFaults(path: string[], unit: unknown): Fault[] {
  if (unit === undefined || unit === null || sizeUnits.includes(unit as string)) return [];
  return [invalid(path, `The unit must be one of ${sizeUnits.join(', ')}.`)];
}

function royaltyFaults(path: string[], rate: unknown): Fault[] {
  if (rate === undefined || rate === null) return [];
  if (typeof rate === 'number' && rate >= 0 && rate <= 100) return [];
  return [invalid(path, 'The royalty rate is a percentage from 0 to 100.')];
}
