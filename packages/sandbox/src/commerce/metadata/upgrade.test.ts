import { describe, expect, it } from 'vitest';
import { type Metadata, MetadataCheck } from './check.ts';
import { NotConvertible, upgraded } from './upgrade.ts';
import { schemaUrl } from './versions.ts';

const base = 'https://service.test';
const context = {
  check: new MetadataCheck('acme', () => [base]),
  vendorPrefix: 'acme',
  base,
  artworkAttached: false,
};
const hash = `sha256-${'0'.repeat(64)}`;
const texts = { name: 'n', image: 'ipfs://x', thumbnailURL: 'ipfs://x' };
const same = { ...texts, title: { en: 't' }, medium: { en: 'm' }, yearOfCreation: { en: 'y' } };

const old = (version: '2.0' | '2.1', more: Metadata = {}) =>
  upgraded({ $schema: schemaUrl(base, version), ...same, ...more }, version, context);
const current = (more: Metadata = {}) => ({ $schema: schemaUrl(base, '2.2'), ...same, ...more });

describe('metadata of an older version', () => {
  it.each(['2.0', '2.1'] as const)('%s gets the current schema address, and loses its digest', (version) => {
    expect(old(version, { $schemaIntegrity: 'sha256-of-the-old-one' })).toEqual(current());
  });

  it('names its chips by both names', () => {
    const both = { chipUIDs: ['00'], acmeCertICTagUIDs: ['00'] };
    expect(old('2.0', { acmeCertICTagUIDs: ['00'] })).toEqual(current(both));
    expect(old('2.1', { chipUIDs: ['00'] })).toEqual(current(both));
  });

  it('lists the hash of 2.0 with the digital components, once', () => {
    const component = { category: 'artwork', hash };
    const listed = current({ isDigital: true, digitalComponents: [component] });
    expect(old('2.0', { isDigital: true, digitalDataHash: hash })).toEqual(listed);
    const both = { isDigital: true, digitalDataHash: hash, digitalComponents: [component] };
    expect(old('2.0', both)).toEqual(listed);
  });

  it('cannot be upgraded when the current version requires more', () => {
    expect(() => old('2.1', { isDigital: true })).toThrow(
      new NotConvertible("should have required property 'digitalComponents'"),
    );
  });
});

it('metadata of the current version stays as it is', () => {
  const document = {
    ...current(),
    $schema: 'ipfs://bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay',
  };
  expect(upgraded(document, '2.2', context)).toBe(document);
});
