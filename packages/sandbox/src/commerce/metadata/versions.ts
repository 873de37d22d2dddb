import { createHash } from 'node:crypto';
import { canonicalJson } from '@srr-gateway/common/canonical-json';
import { readMetadataSchema } from '@srr-gateway/common/metadata-schema';
import { CID } from 'multiformats/cid';
import { isRecord } from '../body/problems.ts';

export const schemaVersions = ['2.0', '2.1', '2.2'] as const;
export type SchemaVersion = (typeof schemaVersions)[number];

/** Every record is issued with this version, whichever version the request used. */
export const currentVersion = '2.2' satisfies SchemaVersion;

/** Version 2.2 is known by this IPFS address too. Two CIDs were published; this is the newer. */
const v22Cid = 'bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay';

/**
 * Digests of the live service's own schemas. Clients may hold them as constants, so they are accepted
 * although the schemas here have other digests. The digest of 2.2 is the one inside its CID.
 */
const publishedDigests: Record<SchemaVersion, string> = {
  '2.0': 'sha256-f63238ce3b8c4f8a99fb453d716d5451f75508c2e403a58af0412014187e7a61',
  '2.1': 'sha256-15f8e99eb9d4292287282942db2f2de9bbcc4761c555c6f7da23feec010c1221',
  '2.2': `sha256-${Buffer.from(CID.parse(v22Cid).multihash.digest).toString('hex')}`,
};

/** A metadata schema with the vendor's name filled in. */
interface SchemaDocument {
  version: SchemaVersion;
  content: Record<string, unknown>;
  /** The bytes that are served: JSON with sorted keys and no spaces. */
  text: string;
  /** SHA-256 of `text`, as `sha256-<hex>`. */
  digest: string;
}

export type SchemaDocuments = Readonly<Record<SchemaVersion, SchemaDocument>>;

/** Reads the schemas of all versions from disk. */
export function loadSchemas(vendorPrefix: string): SchemaDocuments {
  const load = (version: SchemaVersion): SchemaDocument => {
    const content = readMetadataSchema(version, vendorPrefix);
    const text = canonicalJson(content);
    const digest = `sha256-${createHash('sha256').update(text).digest('hex')}`;
    return { version, content, text, digest };
  };
  return { '2.0': load('2.0'), '2.1': load('2.1'), '2.2': load('2.2') };
}

/** The version that `$schema` names at one of the given base URLs; `undefined` when it names none. */
export function versionOf(schema: unknown, bases: readonly string[]): SchemaVersion | undefined {
  if (schema === `ipfs://${v22Cid}`) return '2.2';
  return schemaVersions.find((version) => bases.some((base) => schema === schemaUrl(base, version)));
}

/** The `$schema` address of a version below a base URL. */
export function schemaUrl(base: string, version: SchemaVersion): string {
  return `${base}/api/v1/schema/${schemaFile(version)}`;
}

/** The last segment of a version's `$schema` address. */
export function schemaFile(version: SchemaVersion): string {
  return `registry-record-metadata.v${version}.schema.json`;
}

/** Whether `$schemaIntegrity` fits the schema. It is optional in the document, so an absent one fits. */
export function integrityHolds(integrity: unknown, { version, digest }: SchemaDocument): boolean {
  return integrity === undefined || integrity === digest || integrity === publishedDigests[version];
}

/**
 * The schema to embed in the OpenAPI document: without `$schema` and `$id`, with references resolved, and
 * without `patternProperties`, whose patterns the plugin that makes the document drops.
 */
export function selfContained({ content }: SchemaDocument): Record<string, unknown> {
  const { $schema: _dialect, $id: _id, definitions, ...schema } = content;
  return inlined(schema, isRecord(definitions) ? definitions : {});
}

function inlined(
  node: Record<string, unknown>,
  definitions: Record<string, unknown>,
): Record<string, unknown> {
  const [, name = ''] = /^#\/definitions\/(\w+)$/.exec(`${node.$ref}`) ?? [];
  const definition = definitions[name];
  if (isRecord(definition)) return inlined(definition, definitions);
  const part = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(part);
    return isRecord(value) ? inlined(value, definitions) : value;
  };
  const { patternProperties, ...rest } = node;
  const [[pattern, value] = []] = isRecord(patternProperties) ? Object.entries(patternProperties) : [];
  // Every map of the schemas has one pattern and forbids other keys, which these two express equally.
  const map = pattern !== undefined && { propertyNames: { pattern }, additionalProperties: value };
  return Object.fromEntries(Object.entries({ ...rest, ...map }).map(([key, value]) => [key, part(value)]));
}
