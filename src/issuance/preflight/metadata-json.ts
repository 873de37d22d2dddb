import { chipAlias } from '../metadata-document.ts';
import { type Context, type Document, schemaErrors, schemaFaults, versionNamed } from './metadata-schema.ts';
import { type DocumentFault, documentFault } from './metadata-words.ts';

/** Rules of a document as the caller has it; paths are those of the document. */
export function jsonFaults(value: unknown, context: Context): DocumentFault[] {
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
