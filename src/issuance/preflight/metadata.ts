import type { Fault } from '../../lib/errors.ts';
import type { EntryInput, MetadataInput } from '../input.ts';
import { metadataDocument } from '../metadata-document.ts';
import { jsonFaults } from './metadata-json.ts';
import { type Context, isSchemaVersion, schemaFaults, schemaVersions } from './metadata-schema.ts';
import type { DocumentFault } from './metadata-words.ts';

/** Rules of the metadata document, whichever way it was given. */
export function metadataFaults(entry: EntryInput, { vendorPrefix }: { vendorPrefix: string }): Fault[] {
  const { metadata, metadataJson, attachments } = entry;
  const artworkAttached = attachments.some(({ category }) => category === 'artwork');
  const context = { vendorPrefix, artworkAttached };
  if (metadata && metadataJson !== undefined)
    return [
      {
        code: 'METADATA_INVALID',
        message: 'Give the metadata once: either metadata or metadataJson.',
        path: ['metadataJson'],
      },
    ];
  if (metadata) return below('metadata', typedFaults(metadata, context));
  if (metadataJson !== undefined) return below('metadataJson', jsonFaults(metadataJson, context));
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

function typedFaults(input: MetadataInput, context: Context): DocumentFault[] {
  const { schemaVersion } = input;
  const known = isSchemaVersion(schemaVersion);
  // The typed fields are the same in every version, so the rest can be told of an unknown one as well.
  const version = known ? schemaVersion : '2.2';
  const names = { baseUrl: 'https://service.invalid', vendorPrefix: context.vendorPrefix };
  // References are checked as such, by the rules of files; here each counts as an address.
  const document = metadataDocument({ ...input, schemaVersion: version }, names, () => '');
  const faults = schemaFaults(document, version, context);
  const versionFault = { path: ['schemaVersion'], message: `Give one of ${schemaVersions.join(', ')}.` };
  return [
    ...(known ? [] : [versionFault]),
    ...faults.map((fault) => ({ ...fault, path: typedPath(fault.path) })),
  ];
}

/** The typed names of what the document calls otherwise. */
const typedNames = new Map([
  ['thumbnailURL', 'thumbnail'],
  ['external_url', 'externalUrl'],
  ['fileURL', 'file'],
]);
const typedPath = (path: string[]) => path.map((name) => typedNames.get(name) ?? name);
