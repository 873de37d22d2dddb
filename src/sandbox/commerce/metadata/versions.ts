import { CID } from 'multiformats/cid';

export const schemaVersions = ['2.0', '2.1', '2.2'] as const;
export type SchemaVersion = (typeof schemaVersions)[number];

/** Where version 2.2 lives besides its https address. */
const v22Cid = 'bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay';

/** Digests of the schema documents, `sha256-<hex>`; that of 2.2 is the one inside its CID. */
const digests: Record<SchemaVersion, string> = {
  '2.0': 'sha256-f63238ce3b8c4f8a99fb453d716d5451f75508c2e403a58af0412014187e7a61',
  '2.1': 'sha256-15f8e99eb9d4292287282942db2f2de9bbcc4761c555c6f7da23feec010c1221',
  '2.2': `sha256-${Buffer.from(CID.parse(v22Cid).multihash.digest).toString('hex')}`,
};

/** The version that a `$schema` names, at any of the given bases; `undefined` when it names none. */
export function versionOf(schema: unknown, bases: readonly string[]): SchemaVersion | undefined {
  if (schema === `ipfs://${v22Cid}`) return '2.2';
  return schemaVersions.find((version) => bases.some((base) => schema === schemaUrl(base, version)));
}

export function schemaUrl(base: string, version: SchemaVersion): string {
  return `${base}/api/v1/schema/registry-record-metadata.v${version}.schema.json`;
}

/** Absent is right in every version: the document makes `$schemaIntegrity` optional. */
export function integrityHolds(integrity: unknown, version: SchemaVersion): boolean {
  return integrity === undefined || integrity === digests[version];
}
