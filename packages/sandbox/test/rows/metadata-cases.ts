import { expect } from 'vitest';
import { type Bench, cancelled, newChip } from './bench.ts';
import type { Cases } from './cases.ts';

const unknownProperty = 'should NOT have additional properties';
const required = (property: string) => `should have required property '${property}'`;

/** A required language map: codes of two letters with texts, and nothing else. */
function languageMap(field: string, isRequired = true) {
  return async (at: Bench): Promise<void> => {
    if (isRequired) await at.refusesMetadata({ [field]: undefined }, required(field));
    await at.refusesMetadata({ [field]: 'text' }, `${field} must be object`);
    await at.refusesMetadata({ [field]: { en: 1 } }, `${field}.en must be string`);
    await at.refusesMetadata({ [field]: { english: 'x' } }, `${field} ${unknownProperty}`);
    const map = { en: 'Harbour', ja: '港', zh: '港口' };
    expect((await at.issueAndRead(at.withMetadata({ [field]: map })))[field]).toEqual(map);
  };
}

function text(field: string, isRequired: boolean) {
  return async (at: Bench): Promise<void> => {
    if (isRequired) await at.refusesMetadata({ [field]: undefined }, required(field));
    await at.refusesMetadata({ [field]: 5 }, `${field} must be string`);
    expect((await at.issueAndRead(at.withMetadata({ [field]: 'A text' })))[field]).toBe('A text');
  };
}

/** A finalUrl of a public file, an ipfs:// URL, or the gateway's URL; published in one form. */
function publicFile(field: 'thumbnailURL' | 'image') {
  return async (at: Bench): Promise<void> => {
    await at.refusesMetadata({ [field]: undefined }, required(field));
    const { finalUrl, cid } = at.files.artwork;
    for (const url of [finalUrl, `ipfs://${cid}`, `${at.info.ipfsUrl}/ipfs/${cid}`])
      expect((await at.issueAndRead(at.withMetadata({ [field]: url })))[field]).toBe(`ipfs://${cid}`);
    await at.refusesEntries(
      [at.entry({ externalId: 'x', metadata: at.metadata({ [field]: 'https://elsewhere.test/a.png' }) })],
      `File URLs must be service storage URLs (the finalUrl returned by the signed-URL endpoint) or ipfs:// URLs (metadata files only). [x] ${field}: https://elsewhere.test/a.png`,
    );
  };
}

/** An array of {category, hash} that the service fills from attachments. */
function filled(field: 'digitalComponents' | 'attachmentFiles', category: 'artwork' | 'installation') {
  return async (at: Bench): Promise<void> => {
    const { finalUrl, hash } = at.files[category];
    const attachmentFiles = [{ name: 'a.png', category, url: finalUrl }];
    expect((await at.issueAndRead(at.entry({ attachmentFiles })))[field]).toEqual([{ category, hash }]);
    await at.refusesMetadata({ [field]: 'none' }, `${field} must be array`);
    await at.refusesMetadata(
      { [field]: [{ category: 'painting', hash }] },
      `${field}.0.category must be equal to one of the allowed values`,
    );
  };
}

const schemaOf = (at: Bench, version: string) =>
  `${at.info.commerceUrl}/api/v1/schema/registry-record-metadata.v${version}.schema.json`;

const served = async (url: string) => (await fetch(url)).text();

export const metadataCases: Cases['Metadata'] = {
  $schema: async (at) => {
    await at.refusesMetadata({ $schema: undefined }, required('$schema'));
    for (const version of ['1.1', '1.9', '2.3'])
      await at.refusesMetadata(
        { $schema: schemaOf(at, version) },
        '$schema path is invalid, file is not found',
      );
    for (const version of ['2.0', '2.1', '2.2'])
      await at.issue(at.withMetadata({ $schema: schemaOf(at, version) }));
    expect(JSON.parse(await served(schemaOf(at, '2.2'))).properties).toHaveProperty('vendorCertICTagUIDs');
  },
  $schemaIntegrity: async (at) => {
    for (const version of ['2.0', '2.1', '2.2']) {
      const $schema = schemaOf(at, version);
      const digest = await crypto.subtle.digest('SHA-256', Buffer.from(await served($schema)));
      const $schemaIntegrity = `sha256-${Buffer.from(digest).toString('hex')}`;
      await at.issue(at.withMetadata({ $schema, $schemaIntegrity }), at.withMetadata({ $schema }));
      const wrong = { $schema, $schemaIntegrity: `sha256-${'0'.repeat(64)}` };
      await at.refusesMetadata(wrong, '$schemaIntegrity does not match $schema digest');
    }
  },
  name: text('name', true),
  title: languageMap('title'),
  medium: languageMap('medium'),
  yearOfCreation: languageMap('yearOfCreation'),
  thumbnailURL: publicFile('thumbnailURL'),
  image: publicFile('image'),
  description: text('description', false),
  external_url: async (at) => {
    const external_url = 'https://elsewhere.test/not-uploaded.png';
    expect(await at.issueAndRead(at.withMetadata({ external_url }))).toMatchObject({ external_url });
  },
  size: async (at) => {
    const flexibleDescription = { en: 'as large as life' };
    for (const unit of ['mm', 'cm', 'm', 'in', 'ft', 'pixel']) {
      const size = { width: 200, height: 400, depth: 12.4, unit, flexibleDescription };
      expect((await at.issueAndRead(at.withMetadata({ size }))).size).toEqual(size);
    }
    await at.refusesMetadata(
      { size: { unit: 'mile' } },
      'size.unit must be equal to one of the allowed values',
    );
    await at.refusesMetadata({ size: { width: '200' } }, 'size.width must be number');
    await at.refusesMetadata({ size: { weight: 1 } }, `size ${unknownProperty}`);
  },
  edition: async (at) => {
    const edition = {
      uniqueness: 'unique work',
      proofType: 'ED',
      number: 1,
      totalNumber: 3,
      note: { en: 'x' },
    };
    expect((await at.issueAndRead(at.withMetadata({ edition }))).edition).toEqual(edition);
    await at.refusesMetadata({ edition: { number: 1.5 } }, 'edition.number must be integer');
    await at.refusesMetadata({ edition: { totalNumber: '3' } }, 'edition.totalNumber must be integer');
    await at.refusesMetadata({ edition: { of: 3 } }, `edition ${unknownProperty}`);
  },
  contractTerms: async (at) => {
    const { finalUrl, cid } = at.files.non_attachment_file;
    const entry = at.withMetadata({ contractTerms: { royaltyRate: 15.7, fileURL: finalUrl } });
    const [result] = await at.issue(entry);
    expect((await at.published(result)).contractTerms).toEqual({
      royaltyRate: 15.7,
      fileURL: `ipfs://${cid}`,
    });
    expect(await at.indexed(result.srr.tokenId, 'royaltyBasisPoints')).toEqual({ royaltyBasisPoints: 1570 });
    await at.refusesMetadata(
      { contractTerms: { royaltyRate: 101 } },
      'royalty rate is out of the acceptable range of 0 to 100',
    );
    await at.refusesMetadata({ contractTerms: { law: 'x' } }, `contractTerms ${unknownProperty}`);
  },
  note: languageMap('note', false),
  isDigital: async (at) => {
    await at.refusesMetadata({ isDigital: 'yes' }, 'isDigital must be boolean');
    await at.refusesMetadata({ isDigital: true }, required('digitalComponents'));
    await at.issue(at.withMetadata({ isDigital: false }));
    const { finalUrl } = at.files.artwork;
    const attachmentFiles = [{ name: 'a.png', category: 'artwork', url: finalUrl }];
    await at.issue(at.entry({ metadata: at.metadata({ isDigital: true }), attachmentFiles }));
  },
  digitalComponents: filled('digitalComponents', 'artwork'),
  attachmentFiles: filled('attachmentFiles', 'installation'),
  chipUIDs: async (at) => {
    const chips = [newChip(), newChip()];
    expect(await at.issueAndRead(at.withChips(...chips))).toMatchObject({
      chipUIDs: chips,
      vendorCertICTagUIDs: chips,
    });
    await at.refusesMetadata({ chipUIDs: chips }, required('vendorCertICTagUIDs'));
    await at.refusesMetadata({ chipUIDs: 'x', vendorCertICTagUIDs: 'x' }, bothMustBeArrays);
  },
  'the alias of chipUIDs': async (at) => {
    await at.refusesMetadata({ vendorCertICTagUIDs: [newChip()] }, required('chipUIDs'));
    await at.refusesMetadata(
      { chipUIDs: [newChip()], vendorCertICTagUIDs: [newChip()] },
      'vendorCertICTagUIDs must hold the same values as chipUIDs',
    );
    // The name of this field is a setting.
    const image = (await at.small.uploadReady('alias.txt', 'artwork', 'alias')).finalUrl;
    const chips = [newChip()];
    const named = (names: object) =>
      at.small.entry(image, { metadata: at.small.metadata(image, { ...names }) });
    const both = await at.small.post('srrs', {
      payload: [named({ chipUIDs: chips, acmeCertICTagUIDs: chips })],
    });
    expect(both.status).toBe(201);
    const other = await at.small.post('srrs', { payload: [named({ vendorCertICTagUIDs: chips })] });
    expect(other.body.message[0]).toContain(unknownProperty);
  },
};

const bothMustBeArrays = 'chipUIDs must be array, vendorCertICTagUIDs must be array';

export const entryStateCases: Cases['Entry state'] = {
  'accepted when all entries pass': async (at) => {
    const entries = [at.entry(), at.entry()];
    const results = await at.issue(...entries);
    expect(results.map((result: { status: string }) => result.status)).toEqual([
      'waiting_for_mining',
      'waiting_for_mining',
    ]);
    for (const { externalId } of entries)
      expect(await at.outcome(externalId)).toMatchObject({ status: 'issued' });
  },
  'failed when any entry fails': async (at) => {
    const [good, bad] = [at.entry(), at.withChips('none')];
    await at.refusesEntries([good, bad], {
      results: [
        { status: 'failed', externalId: good.externalId, message: cancelled },
        { status: 'failed', externalId: bad.externalId, message: 'INVALID_CHIP' },
      ],
    });
    await at.issue(good);
  },
};
