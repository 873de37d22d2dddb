import { describe, expect, it } from 'vitest';
import type { MetadataInput } from './input.ts';
import { metadataDocument, withChipAlias } from './metadata-document.ts';

const names = { baseUrl: 'https://service.example', vendorPrefix: 'vendor' };
const input: MetadataInput = {
  schemaVersion: '2.2',
  name: 'A work',
  title: { en: 'A work' },
  medium: { en: 'Oil' },
  yearOfCreation: { en: '2026' },
  thumbnail: { kind: 'ipfs', reference: 'ipfs://small' },
  image: { kind: 'finalUrl', url: 'https://static.example/large.png' },
  chipUIDs: ['04A1'],
};
const urlOf = (ref: MetadataInput['image']) =>
  ref.kind === 'ipfs' ? ref.reference : 'url' in ref ? ref.url : '';

describe('a metadata document', () => {
  it('has its schema and files in the form that the service requires, and no absent fields', () => {
    expect(metadataDocument(input, names, urlOf)).toEqual({
      $schema: 'https://service.example/api/v1/schema/registry-record-metadata.v2.2.schema.json',
      name: 'A work',
      title: { en: 'A work' },
      medium: { en: 'Oil' },
      yearOfCreation: { en: '2026' },
      thumbnailURL: 'ipfs://small',
      image: 'https://static.example/large.png',
      chipUIDs: ['04A1'],
      vendorCertICTagUIDs: ['04A1'],
    });
  });

  it('of version 2.0 has the chips only under the alias with the vendor prefix', () => {
    const document = metadataDocument({ ...input, schemaVersion: '2.0' }, names, urlOf);
    expect(document).toMatchObject({ vendorCertICTagUIDs: ['04A1'] });
    expect(document).not.toHaveProperty('chipUIDs');
  });

  it('that the caller wrote has its chips added under the missing name', () => {
    const $schema = 'https://service.example/api/v1/schema/registry-record-metadata.v2.1.schema.json';
    expect(withChipAlias({ $schema, vendorCertICTagUIDs: ['1'] }, 'vendor')).toEqual({
      $schema,
      chipUIDs: ['1'],
      vendorCertICTagUIDs: ['1'],
    });
    expect(withChipAlias({ $schema }, 'vendor')).toEqual({ $schema });
  });
});
