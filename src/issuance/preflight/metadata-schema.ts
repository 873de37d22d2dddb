import { readFileSync } from 'node:fs';
import { Ajv, type DefinedError, type ValidateFunction } from 'ajv';
import { parseIpfsReference } from '../../ipfs/reference.ts';
import { withChipAlias } from '../metadata-document.ts';
import { type DocumentFault, documentFault } from './metadata-words.ts';

export type Document = Record<string, unknown>;

/** What besides the document decides whether it holds. */
export interface Context {
  vendorPrefix: string;
  /** It becomes the digital components of the record. */
  artworkAttached: boolean;
}

/** Versions that the service takes and whose schema is in `schema/metadata`. */
export const schemaVersions = ['2.0', '2.1', '2.2'] as const;
export type SchemaVersion = (typeof schemaVersions)[number];

export const isSchemaVersion = (version: string): version is SchemaVersion =>
  schemaVersions.some((known) => known === version);

/** Version 2.2 also goes by its content. */
const v22 = 'ipfs://bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay';
const address = /^https?:\/\/.+\/api\/v1\/schema\/registry-record-metadata\.v((\d+)\.\d+)\.schema\.json$/;

/**
 * The version that a `$schema` names. `elsewhere` is one that the service may know though its schema is not
 * here: a version to come, or other content. Undefined: it cannot be a schema that the service takes. Which
 * hosts are the service's own is left to the service.
 */
export function versionNamed(schema: unknown): SchemaVersion | 'elsewhere' | undefined {
  if (typeof schema !== 'string') return undefined;
  if (schema === v22) return '2.2';
  if (schema.startsWith('ipfs://')) return parseIpfsReference(schema) && 'elsewhere';
  const [, version = '', major] = address.exec(schema) ?? [];
  if (isSchemaVersion(version)) return version;
  return Number(major) >= 2 ? 'elsewhere' : undefined;
}

/** The document is judged as it will be sent: with both names of its chips. */
export function schemaFaults(document: Document, version: SchemaVersion, context: Context): DocumentFault[] {
  const sent = withChipAlias(document, context.vendorPrefix);
  const filled = context.artworkAttached ? { digitalComponents: [], ...sent } : sent;
  const faults = schemaErrors(filled, version, context.vendorPrefix).map(documentFault);
  return faults.filter((fault) => fault !== undefined);
}

/** Real documents have some hundred values. */
const thoroughUpTo = 10_000;

/**
 * Everything in which a document breaks the schema of its version; of a document that is huge only the
 * first thing, because millions of findings would take gigabytes.
 */
export function schemaErrors(document: object, version: SchemaVersion, vendorPrefix: string): DefinedError[] {
  const validate = validatorOf(version, vendorPrefix, valuesIn(document, thoroughUpTo) <= thoroughUpTo);
  return validate(document) ? [] : (validate.errors as DefinedError[]);
}

/** How many values a document has; counting ends soon after `enough`. */
function valuesIn(value: unknown, enough: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const key in value) {
    count += valuesIn(value[key as keyof typeof value], enough);
    if (count > enough) break;
  }
  return count;
}

const validators = new Map<string, ValidateFunction>();

/** Compiled at its first use: a gateway that only reads needs none of them. */
function validatorOf(version: SchemaVersion, vendorPrefix: string, allErrors: boolean): ValidateFunction {
  const key = `${version} ${vendorPrefix} ${allErrors}`;
  const known = validators.get(key);
  if (known) return known;
  const file = `../../../schema/metadata/registry-record-metadata.v${version}.schema.json`;
  const text = readFileSync(new URL(file, import.meta.url), 'utf8').replaceAll('{vendor}', vendorPrefix);
  const validate = new Ajv({ allErrors, allowUnionTypes: true }).compile(JSON.parse(text));
  validators.set(key, validate);
  return validate;
}
