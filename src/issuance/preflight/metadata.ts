import type { Fault } from '../../lib/errors.ts';
import type { EntryInput, MetadataInput } from '../input.ts';
import { chipAlias, metadataDocument, withChipAlias } from '../metadata-document.ts';
import {
  isSchemaVersion,
  type SchemaVersion,
  schemaErrors,
  schemaVersions,
  versionNamed,
} from './metadata-schema.ts';
import { type DocumentFault, documentFault } from './metadata-words.ts';

type Document = Record<string, unknown>;

/** What besides the document decides whether it holds. */
interface Context {
  vendorPrefix: string;
  /** It becomes the digital components of the record. */
  artworkAttached: boolean;
}

/** Rules of the metadata document, whichever way it was given. */
export function metadataFaults(entry: EntryInput, vendorPrefix: string): Fault[] {
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

function jsonFaults(value: unknown, context: Context): DocumentFault[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [
      { path: [], message: 'metadataJson must be a JSON object: the metadata document of the record.' },
    ];
  const document = value as Document;
  const version = versionNamed(document.$schema);
  return [
    ...chipFaults(document, context.vendorPrefix),
    ...integrityFaults(document),
    ...(version === undefined ? unversionedFaults(document, context) : []),
    ...(version === undefined || version === 'elsewhere' ? [] : schemaFaults(document, version, context)),
  ];
}

/** The document is judged as it will be sent: with both names of its chips. */
function schemaFaults(document: Document, version: SchemaVersion, context: Context): DocumentFault[] {
  const sent = withChipAlias(document, context.vendorPrefix);
  const filled = context.artworkAttached ? { digitalComponents: [], ...sent } : sent;
  const faults = schemaErrors(filled, version, context.vendorPrefix).map(documentFault);
  return faults.filter((fault) => fault !== undefined);
}

/** Without a version only this is certain: what is missing of that which every version wants. */
function unversionedFaults(document: Document, { vendorPrefix }: Context): DocumentFault[] {
  const missing = schemaErrors(document, '2.0', vendorPrefix).filter(
    ({ keyword, instancePath }) => keyword === 'required' && instancePath === '',
  );
  const schemaFault = {
    path: ['$schema'],
    message:
      '$schema must be the address of the metadata schema of version 2.0 or later: {base_url}/api/v1/schema/registry-record-metadata.v2.2.schema.json.',
  };
  const faults = missing.map(documentFault).filter((fault) => fault !== undefined);
  return [schemaFault, ...faults.filter(({ path }) => path[0] !== '$schema')];
}

/** Its form; whether it is the digest of the schema only the service can tell. */
function integrityFaults({ $schemaIntegrity: integrity }: Document): DocumentFault[] {
  // What is no text at all, the schema says.
  if (typeof integrity !== 'string' || /^sha256-[0-9a-f]{64}$/i.test(integrity)) return [];
  return [
    {
      path: ['$schemaIntegrity'],
      message:
        '$schemaIntegrity is "sha256-" and the 64 hex digits of the schema’s digest. Correct it, or leave it out.',
    },
  ];
}

function chipFaults(document: Document, vendorPrefix: string): DocumentFault[] {
  const alias = chipAlias(vendorPrefix);
  const { chipUIDs, [alias]: aliased } = document;
  if (chipUIDs === undefined || aliased === undefined) return [];
  if (JSON.stringify(chipUIDs) === JSON.stringify(aliased)) return [];
  return [{ path: [alias], message: `${alias} must hold the same values as chipUIDs; leave it out.` }];
}
