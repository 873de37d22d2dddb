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
  it('names its schema and its files as the service wants them, and nothing that is absent', () => {
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

  it('of version 2.0 has the chips under their alias alone', () => {
    const document = metadataDocument({ ...input, schemaVersion: '2.0' }, names, urlOf);
    expect(document).toMatchObject({ vendorCertICTagUIDs: ['04A1'] });
    expect(document).not.toHaveProperty('chipUIDs');
  });

  it('of the caller’s own making gets the name that it lacks', () => {
    const $schema = 'https://service.example/api/v1/schema/registry-record-metadata.v2.1.schema.json';
    expect(withChipAlias({ $schema, vendorCertICTagUIDs: ['1'] }, 'vendor')).toEqual({
      $schema,
      chipUIDs: ['1'],
      vendorCertICTagUIDs: ['1'],
    });
    expect(withChipAlias({ $schema }, 'vendor')).toEqual({ $schema });
  });
});
