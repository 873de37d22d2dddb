// The sandbox's own reading of the metadata rules, for whoever holds another reading against it.
export { MetadataCheck } from '../src/commerce/metadata/check.ts';
export { schemaUrl, schemaVersions } from '../src/commerce/metadata/versions.ts';
export { readWorldFile, type WorldFile } from '../src/fixtures/world-file.ts';
