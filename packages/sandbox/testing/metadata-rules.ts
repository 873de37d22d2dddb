// The sandbox's implementation of the metadata rules, for tests that compare another one with it.
export { MetadataCheck } from '../src/commerce/metadata/check.ts';
export { schemaUrl, schemaVersions } from '../src/commerce/metadata/versions.ts';
export { readWorldFile, type WorldFile } from '../src/fixtures/world-file.ts';
