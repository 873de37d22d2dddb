import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Metadata, MetadataCheck } from './check.ts';
import { schemaUrl, schemaVersions } from './versions.ts';

const base = 'https://service.test';
const check = new MetadataCheck('acme', () => [base]);
const hash = `sha256-${'0'.repeat(64)}`;

function metadata(version: '2.0' | '2.1' | '2.2', more: Metadata = {}): Metadata {
  const texts = { name: 'n', image: 'ipfs://x', thumbnailURL: 'ipfs://x' };
  const maps = { title: { en: 't' }, medium: { en: 'm' }, yearOfCreation: { zh: 'y' } };
  return { $schema: schemaUrl(base, version), ...texts, ...maps, ...more };
}

function faultsOf(document: Metadata, artworkAttached = false): string[] {
  const verdict = check.judge(document, { artworkAttached });
  return 'faults' in verdict ? verdict.faults : [];
}

describe('metadata', () => {
  it.each(schemaVersions)('of version %s is valid', (version) => {
    expect(check.judge(metadata(version), { artworkAttached: false })).toEqual({ version });
  });

  it.each(['a long list', 'deep nesting'])(
    'with thousands of faults gets one of them reported: %s',
    (how) => {
      const nested = JSON.parse(`${'['.repeat(9_000)}${']'.repeat(9_000)}`);
      const chipUIDs = how === 'a long list' ? Array(300_000).fill(1) : [...Array(5_000).fill(1), nested];
      expect(faultsOf(metadata('2.2', { chipUIDs }))).toHaveLength(1);
    },
  );

  it('of version 2.2 may name its schema by content', () => {
    const $schema = 'ipfs://bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay';
    expect(faultsOf(metadata('2.2', { $schema }))).toEqual([]);
  });

  it.each(schemaVersions)('of version %s must have the digest of its schema', (version) => {
    const { text, digest } = check.schemas[version];
    expect(digest).toBe(`sha256-${createHash('sha256').update(text).digest('hex')}`);
    expect(faultsOf(metadata(version, { $schemaIntegrity: digest }))).toEqual([]);
    const mismatch = ['$schemaIntegrity does not match $schema digest'];
    expect(faultsOf(metadata(version, { $schemaIntegrity: hash }))).toEqual(mismatch);
    const next = check.schemas[version === '2.2' ? '2.0' : '2.2'];
    expect(faultsOf(metadata(version, { $schemaIntegrity: next.digest }))).toEqual(mismatch);
  });

  it('may have the digest that the live service publishes', () => {
    const known = 'sha256-f63238ce3b8c4f8a99fb453d716d5451f75508c2e403a58af0412014187e7a61';
    expect(faultsOf(metadata('2.0', { $schemaIntegrity: known }))).toEqual([]);
    expect(faultsOf(metadata('2.1', { $schemaIntegrity: known }))).toHaveLength(1);
  });

  it('has the properties of its version, and no other', () => {
    const refused = ['should NOT have additional properties'];
    expect(faultsOf(metadata('2.0', { chipUIDs: ['00'] }))).toEqual(refused);
    expect(faultsOf(metadata('2.0', { digitalDataHash: hash }))).toEqual([]);
    expect(faultsOf(metadata('2.1', { digitalDataHash: hash }))).toEqual(refused);
    const attributes = [{ trait_type: 'mood', value: 'calm' }];
    expect(faultsOf(metadata('2.1', { attributes }))).toEqual(refused);
    expect(faultsOf(metadata('2.2', { attributes }))).toEqual([]);
  });

  it('of an older version needs no chip alias; one that differs is refused in every version', () => {
    expect(faultsOf(metadata('2.1', { chipUIDs: ['00'] }))).toEqual([]);
    expect(faultsOf(metadata('2.2', { chipUIDs: ['00'] }))).toEqual([
      "should have required property 'acmeCertICTagUIDs'",
    ]);
    expect(faultsOf(metadata('2.2', { acmeCertICTagUIDs: ['00'] }))).toEqual([
      "should have required property 'chipUIDs'",
    ]);
    const both = { chipUIDs: ['00'], acmeCertICTagUIDs: ['01'] };
    for (const version of ['2.1', '2.2'] as const)
      expect(faultsOf(metadata(version, both))).toEqual([
        'acmeCertICTagUIDs must hold the same values as chipUIDs',
      ]);
  });

  it('must have the same chips under both names, in any order', () => {
    const chips = (chipUIDs: string[], acmeCertICTagUIDs: string[]) =>
      faultsOf(metadata('2.2', { chipUIDs, acmeCertICTagUIDs }));
    expect(chips(['00', '01'], ['01', '00'])).toEqual([]);
    expect(chips([], [])).toEqual([]);
    const unequal = ['acmeCertICTagUIDs must hold the same values as chipUIDs'];
    expect(chips(['00', '01'], ['00'])).toEqual(unequal);
    expect(chips(['00'], ['00', '01'])).toEqual(unequal);
    expect(chips(['00'], [])).toEqual(unequal);
  });

  it('of a digital work must have digital components, or attached artwork, which becomes them', () => {
    const digital = metadata('2.2', { isDigital: true });
    expect(faultsOf(digital)).toEqual(["should have required property 'digitalComponents'"]);
    expect(faultsOf(digital, true)).toEqual([]);
    expect(faultsOf(metadata('2.2', { isDigital: false }))).toEqual([]);
    expect(faultsOf(metadata('2.1', { isDigital: true }))).toEqual([]);
  });

  it.each([0, 100, 15.7])('may have a royalty of %d', (royaltyRate) => {
    expect(faultsOf(metadata('2.2', { contractTerms: { royaltyRate } }))).toEqual([]);
  });

  it.each(['gsw', 'EN', 'zh-Hant', 'x-artist'])('may have text in "%s"', (language) => {
    expect(faultsOf(metadata('2.2', { note: { [language]: 'n' } }))).toEqual([]);
  });

  it.each(['english', 'zh_Hant', 'e', 'x', ''])('is refused with a text in the language "%s"', (language) => {
    expect(faultsOf(metadata('2.2', { note: { [language]: 'n' } }))).toEqual([
      'note should NOT have additional properties',
    ]);
  });

  it('is refused with all its faults at once', () => {
    const wrong = metadata('2.2', {
      name: undefined,
      toString: 'x',
      size: { width: '1', unit: 'mile' },
      edition: { number: 1.5 },
      contractTerms: { royaltyRate: -1 },
      note: { english: 'n', en: 1 },
      digitalComponents: [{ hash }],
      isDigital: 'yes',
    });
    expect(faultsOf(wrong).toSorted()).toEqual([
      "digitalComponents.0 should have required property 'category'",
      'edition.number must be integer',
      'isDigital must be boolean',
      'note should NOT have additional properties',
      'note.en must be string',
      'royalty rate is out of the acceptable range of 0 to 100',
      'should NOT have additional properties',
      "should have required property 'name'",
      'size.unit must be equal to one of the allowed values',
      'size.width must be number',
    ]);
  });

  it('of an unknown schema is refused with that fault and those of the fields that every version requires', () => {
    for (const $schema of [schemaUrl('https://elsewhere.test', '2.2'), schemaUrl(base, '1.1' as '2.0'), 5])
      expect(faultsOf(metadata('2.2', { $schema, image: undefined, isDigital: true }))).toEqual([
        '$schema path is invalid, file is not found',
        "should have required property 'image'",
      ]);
    expect(faultsOf(metadata('2.2', { $schema: undefined }))).toEqual([
      "should have required property '$schema'",
    ]);
  });
});
