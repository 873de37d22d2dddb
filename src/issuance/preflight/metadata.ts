import type { Fault } from '../../model/errors.ts';
import type { EntryInput, MetadataInput } from '../input.ts';
import { typedPath } from '../mutation-path.ts';
import { contextOf, typedDocument } from './entry-document.ts';
import { jsonFaults } from './metadata-json.ts';
import { type EntryContext, schemaVersions, versionNumbered } from './metadata-schema.ts';
import type { DocumentFault } from './schema-messages.ts';
import { documentFaults, type SchemaResult } from './schema-results.ts';

/** Checks the metadata of an entry in either form. */
export function metadataFaults(
  entry: EntryInput,
  {
    vendorPrefix,
    schemaResults,
  }: { vendorPrefix: string; schemaResults?: ReadonlyMap<EntryInput, SchemaResult> },
): Fault[] {
  const { metadata, metadataJson } = entry;
  const context = contextOf(entry, vendorPrefix);
  const schemaResult = schemaResults?.get(entry);
  if (metadata && metadataJson !== undefined)
    return [
      {
        code: 'METADATA_INVALID',
        message: 'Give the metadata once: either metadata or metadataJson.',
        path: ['metadataJson'],
      },
    ];
  if (metadata) return below('metadata', typedFaults(metadata, context, schemaResult));
  if (metadataJson !== undefined)
    return below('metadataJson', jsonFaults(metadataJson, context, schemaResult));
  return [
    {
      code: 'METADATA_MISSING',
      message: 'Give the record its metadata, as metadata or as metadataJson.',
      path: ['metadata'],
    },
  ];
}

const below = (root: string, faults: DocumentFault[]): Fault[] =>
  faults.map(({ path, message }) => ({ code: 'METADATA_INVALID', message, path: [root, ...path] }));

function typedFaults(
  input: MetadataInput,
  context: EntryContext,
  schemaResult: SchemaResult | undefined,
): DocumentFault[] {
  const version = versionNumbered(input.schemaVersion);
  const versionFault = {
    path: ['schemaVersion'],
    message: `schemaVersion must be one of ${schemaVersions.join(', ')}, or a later version that the service has.`,
  };
  // Typed fields are the same in all versions, so check them even if the version is invalid.
  const faults = documentFaults(typedDocument(input, context), version ?? '2.2', context, schemaResult);
  return [
    ...(version === undefined ? [versionFault] : []),
    ...faults.map((fault) => ({ ...fault, path: typedPath(fault.path) })),
  ];
}
