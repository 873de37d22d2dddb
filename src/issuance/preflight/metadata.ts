import type { Fault } from '../../model/errors.ts';
import type { EntryInput, MetadataInput } from '../input.ts';
import { typedPath } from '../mutation-path.ts';
import { contextOf, typedDocument } from './entry-document.ts';
import { jsonFaults } from './metadata-json.ts';
import { type Context, schemaVersions, versionNumbered } from './metadata-schema.ts';
import type { DocumentFault } from './schema-messages.ts';
import { judgedFaults, type SchemaVerdict } from './schema-verdict.ts';

/** Checks the metadata of an entry, in whichever form it was given. */
export function metadataFaults(
  entry: EntryInput,
  { vendorPrefix, verdicts }: { vendorPrefix: string; verdicts?: ReadonlyMap<EntryInput, SchemaVerdict> },
): Fault[] {
  const { metadata, metadataJson } = entry;
  const context = contextOf(entry, vendorPrefix);
  const verdict = verdicts?.get(entry);
  if (metadata && metadataJson !== undefined)
    return [
      {
        code: 'METADATA_INVALID',
        message: 'Give the metadata once: either metadata or metadataJson.',
        path: ['metadataJson'],
      },
    ];
  if (metadata) return below('metadata', typedFaults(metadata, context, verdict));
  if (metadataJson !== undefined) return below('metadataJson', jsonFaults(metadataJson, context, verdict));
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
  context: Context,
  verdict: SchemaVerdict | undefined,
): DocumentFault[] {
  const version = versionNumbered(input.schemaVersion);
  const versionFault = {
    path: ['schemaVersion'],
    message: `schemaVersion must be one of ${schemaVersions.join(', ')}, or a later version that the service has.`,
  };
  // Typed fields are the same in all versions, so check the others even when the version is impossible.
  const faults = judgedFaults(typedDocument(input, context), version ?? '2.2', context, verdict);
  return [
    ...(version === undefined ? [versionFault] : []),
    ...faults.map((fault) => ({ ...fault, path: typedPath(fault.path) })),
  ];
}
