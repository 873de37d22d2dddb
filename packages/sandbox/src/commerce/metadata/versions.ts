import { createHash } from 'node:crypto';
import { canonicalJson } from '@srr-gateway/common/canonical-json';
import { readMetadataSchema } from '@srr-gateway/common/metadata-schema';
import { CID } from 'multiformats/cid';
import { isRecord } from '../body/problems.ts';

export const schemaVersions = ['2.0', '2.1', '2.2'] as const;
export type SchemaVersion = (typeof schemaVersions)[number];

/** What every record is issued with, whichever version it came in. */
export const currentVersion = '2.2' satisfies SchemaVersion;

/** Where version 2.2 lives besides its https addresses. Of the two CIDs that were published, the newer. */
const v22Cid = 'bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay';

/**
 * Digests that the live service's own documents are known by. Clients that carry them as constants are
 * right too, though the documents here have other ones. That of 2.2 is the one inside its CID.
 */
const publishedDigests: Record<SchemaVersion, string> = {
  '2.0': 'sha256-f63238ce3b8c4f8a99fb453d716d5451f75508c2e403a58af0412014187e7a61',
  '2.1': 'sha256-15f8e99eb9d4292287282942db2f2de9bbcc4761c555c6f7da23feec010c1221',
  '2.2': `sha256-${Buffer.from(CID.parse(v22Cid).multihash.digest).toString('hex')}`,
};

/** A metadata schema with the vendor's name filled in. */
export interface SchemaDocument {
  version: SchemaVersion;
  content: Record<string, unknown>;
  /** Normalised: sorted keys, no spaces. These are the bytes that are served. */
  text: string;
  /** SHA-256 of `text`, as `sha256-<hex>`. */
  digest: string;
}

export type SchemaDocuments = Readonly<Record<SchemaVersion, SchemaDocument>>;

/** Reads the schemas of every version. */
export function loadSchemas(vendorPrefix: string): SchemaDocuments {
  const load = (version: SchemaVersion): SchemaDocument => {
    const content = readMetadataSchema(version, vendorPrefix);
    const text = canonicalJson(content);
    const digest = `sha256-${createHash('sha256').update(text).digest('hex')}`;
    return { version, content, text, digest };
  };
  return { '2.0': load('2.0'), '2.1': load('2.1'), '2.2': load('2.2') };
}

/** The version that a `$schema` names, at any of the given bases; `undefined` when it names none. */
export function versionOf(schema: unknown, bases: readonly string[]): SchemaVersion | undefined {
  if (schema === `ipfs://${v22Cid}`) return '2.2';
  return schemaVersions.find((version) => bases.some((base) => schema === schemaUrl(base, version)));
}

export function schemaUrl(base: string, version: SchemaVersion): string {
  return `${base}/api/v1/schema/${schemaFile(version)}`;
}

export function schemaFile(version: SchemaVersion): string {
  return `registry-record-metadata.v${version}.schema.json`;
}

/** Absent is right in every version: the document makes `$schemaIntegrity` optional. */
export function integrityHolds(integrity: unknown, { version, digest }: SchemaDocument): boolean {
  return integrity === undefined || integrity === digest || integrity === publishedDigests[version];
}

/** The schema as a part of another document: without an identity, and without references. */
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
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, part(value)]));
}
