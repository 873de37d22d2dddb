import { canonicalJson } from '@srr-gateway/common/canonical-json';
import { readMetadataSchema } from '@srr-gateway/common/metadata-schema';
import { Ajv, type DefinedError, type ValidateFunction } from 'ajv';
import { parseIpfsReference } from '../../clients/ipfs/reference.ts';
import { withChipAlias } from '../metadata-document.ts';
import { type DocumentFault, documentFault } from './schema-messages.ts';
import { maxThoroughValues, valuesIn } from './value-count.ts';

/** A metadata document that may not be valid. */
export type Document = Record<string, unknown>;

/** What the validity of a document depends on besides the document. */
export interface EntryContext {
  vendorPrefix: string;
  /** Categories of the entry's attachments: the service lists their hashes in the document. */
  attached: readonly string[];
}

/** Versions that the service accepts and whose schemas the gateway ships. */
export const schemaVersions = ['2.0', '2.1', '2.2'] as const;
export type SchemaVersion = (typeof schemaVersions)[number];

/** Whether the gateway ships the schema of a version. */
const isSchemaVersion = (version: string): version is SchemaVersion =>
  schemaVersions.some((known) => known === version);

/** Version 2.2 may also be named by its CID. */
const v22 = 'ipfs://bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay';
const address = /^https?:\/\/.+\/api\/v1\/schema\/registry-record-metadata\.v(\d+\.\d+)\.schema\.json$/;

/**
 * Digests that the service publishes for its schemas. It does not describe how they are calculated, so they
 * are constants.
 */
export const publishedDigests: Partial<Record<string, string>> = {
  '2.0': 'sha256-f63238ce3b8c4f8a99fb453d716d5451f75508c2e403a58af0412014187e7a61',
  '2.1': 'sha256-15f8e99eb9d4292287282942db2f2de9bbcc4761c555c6f7da23feec010c1221',
};

/**
 * The version that a `$schema` names. `elsewhere`: a later version or other content, whose schema is not shipped but
 * may be known to the service. Undefined: the service cannot accept it. Only the service knows which hosts are its
 * own.
 */
export function versionNamed(schema: unknown): SchemaVersion | 'elsewhere' | undefined {
  if (typeof schema !== 'string') return undefined;
  if (schema === v22) return '2.2';
  if (/^ipfs:|^https?:.*\/ipfs\//.test(schema)) return parseIpfsReference(schema) && 'elsewhere';
  return versionNumbered(address.exec(schema)?.[1] ?? '');
}

/** The same for a bare version number, such as "2.2". */
export function versionNumbered(version: string): SchemaVersion | 'elsewhere' | undefined {
  if (isSchemaVersion(version)) return version;
  return /^([2-9]|[1-9]\d{1,3})\.\d{1,4}$/.test(version) ? 'elsewhere' : undefined;
}

/** The document as the service will validate it: with both names of the chips, and the lists that it fills. */
export function documentAsSent(document: Document, { vendorPrefix, attached }: EntryContext): Document {
  const artworks = attached.filter((category) => category === 'artwork');
  const others = attached.filter((category) => category !== 'artwork');
  return {
    ...(artworks.length > 0 && { digitalComponents: artworks.map(hashedFile) }),
    ...(others.length > 0 && { attachmentFiles: others.map(hashedFile) }),
    ...withChipAlias(document, vendorPrefix),
  };
}

const hashedFile = (category: string) => ({ category, hash: `sha256-${'0'.repeat(64)}` });

/** The faults of a document by the shipped schema of a version. */
export function schemaFaults(
  document: Document,
  version: SchemaVersion,
  context: EntryContext,
): DocumentFault[] {
  const sent = documentAsSent(document, context);
  const faults = schemaErrors(sent, version, context.vendorPrefix).map(documentFault);
  return faultsOfCaller(document, faults);
}

/** Drops faults in the lists that the service fills, which the caller did not write. */
export function faultsOfCaller(document: Document, faults: (DocumentFault | undefined)[]): DocumentFault[] {
  const filled = ['digitalComponents', 'attachmentFiles'].filter((name) => !(name in document));
  return faults.filter((fault) => fault !== undefined).filter(({ path }) => !filled.includes(path[0] ?? ''));
}

/**
 * All errors of a document by the schema of its version. Only the first for a huge document, because millions of
 * errors would take gigabytes.
 */
export function schemaErrors(document: object, version: SchemaVersion, vendorPrefix: string): DefinedError[] {
  const validate = validatorOf(
    version,
    vendorPrefix,
    valuesIn(document, maxThoroughValues) <= maxThoroughValues,
  );
  return validate(document) ? [] : (validate.errors as DefinedError[]);
}

const validators = new Map<string, ValidateFunction>();

/** Compiles a schema on first use: a gateway that only reads needs none. */
function validatorOf(version: SchemaVersion, vendorPrefix: string, allErrors: boolean): ValidateFunction {
  const key = `${version} ${vendorPrefix} ${allErrors}`;
  const known = validators.get(key);
  if (known) return known;
  const validate = new Ajv({ allErrors, allowUnionTypes: true }).compile(
    readMetadataSchema(version, vendorPrefix),
  );
  validators.set(key, validate);
  return validate;
}

/** For each vendor prefix, the shipped schemas by their canonical texts. */
const shipped = new Map<string, ReadonlyMap<string, SchemaVersion>>();

/** The version whose shipped schema has this canonical text. Such a schema needs no worker thread. */
export function shippedVersionOf(text: string, vendorPrefix: string): SchemaVersion | undefined {
  const textOf = (version: SchemaVersion) => canonicalJson(readMetadataSchema(version, vendorPrefix));
  const byText = shipped.get(vendorPrefix) ?? new Map(schemaVersions.map((one) => [textOf(one), one]));
  shipped.set(vendorPrefix, byText);
  return byText.get(text);
}
