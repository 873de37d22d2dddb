import { describe, expect, it } from 'vitest';
import { checkMetadata, type Metadata } from './check.ts';
import { schemaUrl } from './versions.ts';

const base = 'https://service.test';
const rules = { schemaBases: [base], vendorPrefix: 'acme', artworkAttached: false };

function metadata(version: '2.0' | '2.1' | '2.2', more: Metadata = {}): Metadata {
  const texts = { name: 'n', image: 'ipfs://x', thumbnailURL: 'ipfs://x' };
  const maps = { title: { en: 't' }, medium: { en: 'm' }, yearOfCreation: { 'zh-Hant': 'y' } };
  return { $schema: schemaUrl(base, version), ...texts, ...maps, ...more };
}

describe('metadata', () => {
  it.each(['2.0', '2.1', '2.2'] as const)('of version %s holds', (version) => {
    expect(checkMetadata(metadata(version), rules)).toEqual([]);
  });

  it('of version 2.2 may name its schema by content', () => {
    const $schema = 'ipfs://bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay';
    const digest = 'sha256-240e44a9bdcba042a59ffb65d57959453daccd2a0d4c6c9b7ef7b791e0c1c71a';
    expect(checkMetadata(metadata('2.2', { $schema }), rules)).toEqual([]);
    // The digest is another one: only that of the very document holds.
    expect(checkMetadata(metadata('2.2', { $schema, $schemaIntegrity: digest }), rules)).toEqual([
      '$schemaIntegrity does not match $schema digest',
    ]);
  });

  it('of version 2.0 is held to the digest of its schema', () => {
    const known = 'sha256-f63238ce3b8c4f8a99fb453d716d5451f75508c2e403a58af0412014187e7a61';
    expect(checkMetadata(metadata('2.0', { $schemaIntegrity: known }), rules)).toEqual([]);
    expect(checkMetadata(metadata('2.1', { $schemaIntegrity: known }), rules)).toHaveLength(1);
  });

  it('of an older version needs no second chip name; one that differs is refused in all', () => {
    expect(checkMetadata(metadata('2.1', { chipUIDs: ['00'] }), rules)).toEqual([]);
    expect(checkMetadata(metadata('2.2', { chipUIDs: ['00'] }), rules)).toEqual([
      "should have required property 'acmeCertICTagUIDs'",
    ]);
    const both = { chipUIDs: ['00'], acmeCertICTagUIDs: ['01'] };
    for (const version of ['2.0', '2.1', '2.2'] as const)
      expect(checkMetadata(metadata(version, both), rules)).toEqual([
        'acmeCertICTagUIDs must hold the same values as chipUIDs',
      ]);
  });

  it('of a digital work has components, or artwork attached that becomes them', () => {
    const digital = metadata('2.2', { isDigital: true });
    expect(checkMetadata(digital, rules)).toEqual(["should have required property 'digitalComponents'"]);
    expect(checkMetadata(digital, { ...rules, artworkAttached: true })).toEqual([]);
  });

  it.each([0, 100, 15.7])('may have a royalty of %d', (royaltyRate) => {
    expect(checkMetadata(metadata('2.2', { contractTerms: { royaltyRate } }), rules)).toEqual([]);
  });

  it('is told everything that is wrong with it at once', () => {
    const wrong = metadata('2.2', {
      name: undefined,
      toString: 'x',
      size: { width: '1', unit: 'mile' },
      edition: { number: 1.5 },
      contractTerms: { royaltyRate: -1 },
      note: { english: 'n', en: 1 },
      digitalComponents: [{ hash: 'x' }],
    });
    expect(checkMetadata(wrong, rules)).toEqual([
      "should have required property 'name'",
      'should NOT have additional properties',
      'size.width must be number',
      'size.unit must be equal to one of the allowed values',
      'edition.number must be integer',
      'note should NOT have additional properties',
      'note.en must be string',
      'digitalComponents must hold hashed files only',
      'royalty rate is out of the acceptable range of 0 to 100',
    ]);
  });

  it('of an unknown schema is told that, and what every version requires', () => {
    for (const $schema of [schemaUrl('https://elsewhere.test', '2.2'), schemaUrl(base, '1.1' as '2.0'), 5])
      expect(checkMetadata(metadata('2.2', { $schema, image: undefined }), rules)).toEqual([
        '$schema path is invalid, file is not found',
        "should have required property 'image'",
      ]);
  });
});
