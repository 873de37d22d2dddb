import { canonicalJson } from '@srr-gateway/common/canonical-json';
import { isJsonObject } from '../../lib/json-object.ts';
import { chipAlias } from '../metadata-document.ts';
import {
  type Document,
  type EntryContext,
  publishedDigests,
  schemaErrors,
  versionNamed,
} from './metadata-schema.ts';
import { type DocumentFault, documentFault } from './schema-messages.ts';
import { documentFaults, type SchemaResult } from './schema-results.ts';

/** Checks a document that the caller gave as JSON. The paths are those of the document. */
export function jsonFaults(
  document: unknown,
  context: EntryContext,
  schemaResult?: SchemaResult | undefined,
): DocumentFault[] {
  if (!isJsonObject(document))
    return [
      { path: [], message: 'metadataJson must be a JSON object: the metadata document of the record.' },
    ];
  const version = versionNamed(document.$schema);
  return [
    ...numberFaults(document),
    ...chipFaults(document, context.vendorPrefix),
    ...integrityFaults(document, schemaResult),
    ...(version === undefined
      ? unversionedFaults(document, context)
      : documentFaults(document, version, context, schemaResult)),
  ];
}

/** A number that JavaScript rounds would be issued as another one: 2^53 + 1 as 2^53, and 1e999 as null. */
function numberFaults(value: unknown, path: string[] = []): DocumentFault[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => numberFaults(inner, [...path, key]));
  if (typeof value !== 'number' || Number.isSafeInteger(Math.trunc(value))) return [];
  return [
    {
      path,
      message: `${path.join('.')} must be a number between -(2^53 - 1) and 2^53 - 1: larger ones lose digits. Send it as text.`,
    },
  ];
}

/** Without a version, reports only the missing fields that every version requires. */
function unversionedFaults(document: Document, { vendorPrefix }: EntryContext): DocumentFault[] {
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

/** Checks the form of `$schemaIntegrity` and, if the schema was fetched, that it is the schema's digest. */
function integrityFaults(document: Document, schemaResult: SchemaResult | undefined): DocumentFault[] {
  const { $schemaIntegrity: integrity } = document;
  const fault = (message: string) => [{ path: ['$schemaIntegrity'], message }];
  // The schema reports any type other than text.
  if (typeof integrity !== 'string') return [];
  if (!/^sha256-[0-9a-f]{64}$/i.test(integrity))
    return fault(
      '$schemaIntegrity must be "sha256-" and the 64 hex digits of the schema’s digest. Correct it, or leave it out.',
    );
  if (!schemaResult || isDigestOf(document, schemaResult.digests)) return [];
  return fault(
    '$schemaIntegrity is not the digest of the schema that is served at $schema. Correct it, or leave it out.',
  );
}

/** Also accepts the digests that the service publishes, which clients have as constants. */
function isDigestOf({ $schema, $schemaIntegrity }: Document, digests: readonly string[]): boolean {
  const version = versionNamed($schema);
  const right = [...digests, version && publishedDigests[version]];
  return right.includes(String($schemaIntegrity).toLowerCase());
}

function chipFaults(document: Document, vendorPrefix: string): DocumentFault[] {
  const alias = chipAlias(vendorPrefix);
  const { chipUIDs, [alias]: aliased } = document;
  if (chipUIDs === undefined || aliased === undefined) return [];
  if (sameValues(chipUIDs, aliased)) return [];
  return [{ path: [alias], message: `${alias} must hold the same values as chipUIDs; leave it out.` }];
}

/** Whether two lists have the same values, in any order. */
function sameValues(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return canonicalJson(one) === canonicalJson(other);
  const set = (list: unknown[]) =>
    canonicalJson([...new Set(list.map((value) => canonicalJson(value)))].sort());
  return set(one) === set(other);
}
