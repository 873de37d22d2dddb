import { readFileSync } from 'node:fs';

/** The shipped schema of a metadata version, with `vendorPrefix` in its field names. @throws if unknown. */
export function readMetadataSchema(version: string, vendorPrefix: string): Record<string, unknown> {
  const file = `../metadata-schemas/registry-record-metadata.v${version}.schema.json`;
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return JSON.parse(text.replaceAll('{vendor}', vendorPrefix)) as Record<string, unknown>;
}
