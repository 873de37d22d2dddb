import { isJsonObject } from '../../lib/json-object.ts';
import type { Fault } from '../../model/errors.ts';
import type { EntryInput } from '../input.ts';
import { versionNamed, versionNumbered } from './metadata-schema.ts';
import type { SchemaResult } from './schema-results.ts';

/**
 * Warns of metadata that is allowed but probably a mistake, because a record cannot be changed later. Paths begin
 * below the entry.
 */
export function metadataWarnings(
  { metadata, metadataJson }: EntryInput,
  schemaResult: SchemaResult | undefined,
): Fault[] {
  const root = metadata ? 'metadata' : 'metadataJson';
  const document = metadata ?? metadataJson;
  if (!isJsonObject(document)) return [];
  const found = [...emptyTexts(document), ...schemaWarnings(document, Boolean(metadata), schemaResult)];
  return found.map(({ path, message }) => ({ code: 'METADATA_INVALID', message, path: [root, ...path] }));
}

type Warning = { path: string[]; message: string };

const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === '';

function emptyTexts(document: Record<string, unknown>): Warning[] {
  const warnings: Warning[] = [];
  if (isBlank(document.name))
    warnings.push({
      path: ['name'],
      message: 'The name is empty, and a record cannot be changed later. Give it a name.',
    });
  for (const field of ['title', 'medium', 'yearOfCreation']) {
    const map = document[field];
    if (!isJsonObject(map)) continue;
    if (Object.values(map).every(isBlank))
      warnings.push({
        path: [field],
        message: `${field} has no text in any language, and a record cannot be changed later. Give it a text.`,
      });
  }
  return warnings;
}

function schemaWarnings(
  document: Record<string, unknown>,
  typed: boolean,
  schemaResult: SchemaResult | undefined,
): Warning[] {
  const version = typed ? versionNumbered(String(document.schemaVersion)) : versionNamed(document.$schema);
  const warnings: Warning[] = [];
  if (version === 'elsewhere' && schemaResult?.by === undefined)
    warnings.push({
      path: [typed ? 'schemaVersion' : '$schema'],
      message:
        'The gateway does not have the schema of this version and could not fetch it, so the metadata was not checked against it. The service decides.',
    });
  if (!typed && typeof document.$schemaIntegrity === 'string' && version !== undefined && !schemaResult)
    warnings.push({
      path: ['$schemaIntegrity'],
      message:
        '$schemaIntegrity was not checked: the schema could not be fetched from the service or from IPFS. The service decides.',
    });
  return warnings;
}
