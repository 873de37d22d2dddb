import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { cancelled, invalidMetadata, newChip } from './bench.ts';
import type { Cases } from './cases.ts';

const unlicensed = '0x00000000000000000000000000000000000000aa';
const fileHosts =
  'File URLs must be service storage URLs (the finalUrl returned by the signed-URL endpoint) or ipfs:// URLs (metadata files only).';
const required = (property: string) => `should have required property '${property}'`;

export const envelopeCases: Cases['Envelope'] = {
  'a string': (at) =>
    at.refusesEntries([at.entry({ metadata: undefined })], 'Some of the metadata is not defined'),
  'an array of strings': (at) =>
    at.refusesEntries(
      [
        at.entry({ externalId: '', artistAddress: 'x' }),
        at.entry({ isPrimaryIssuer: 'yes', to: 1, lockExternalTransfer: null }),
      ],
      [
        'payload.0.externalId should not be empty',
        'payload.0.artistAddress must be a valid Ethereum addresses',
        'payload.1.isPrimaryIssuer must be a boolean value',
        'payload.1.lockExternalTransfer must be a boolean value',
        'payload.1.to must be a valid Ethereum addresses',
      ],
    ),
  'results per entry': async (at) => {
    const entry = at.entry({ artistAddress: unlicensed });
    await at.refusesEntries([entry], {
      results: [{ status: 'failed', externalId: entry.externalId, message: 'UNKNOWN_ARTIST' }],
    });
  },
};

export const statusCases: Cases['Status code'] = {
  400: async (at) => {
    for (const body of ['', '{', 'null', '[]', '"text"', '{"payload":{}}']) {
      const answer = await at.issuer.post('srrs', body);
      expect(answer, body).toMatchObject({ status: 400, body: { statusCode: 400 } });
    }
  },
  401: async (at) => {
    const answer = await at.issuer.post('srrs', {}, { 'commerce-api-key': 'wrong' });
    expect(answer).toMatchObject({ status: 401, body: { statusCode: 401 } });
  },
  404: (at) =>
    at.refuses(
      'fileMetadata',
      { payload: [{ filename: 'no.png', category: 'artwork' }] },
      [{ index: 0, filePath: `${at.issuer.address}/artwork/no.png` }],
      404,
    ),
  500: async (at) => {
    const entry = at.entry();
    await at.fault({ kind: 'issue', externalId: entry.externalId, effect: 'downstream', reason: 'no luck' });
    await at.refusesEntries([entry], 'SERVICE_ERROR: no luck', 500);
  },
  502: async (at) => {
    for (const route of ['signedUrls', 'fileMetadata']) {
      await at.fault({ kind: 'response', route, when: 'before', effect: '502' });
      await at.refuses(route, { action: 'read', payload: [] }, 'Bad Gateway', 502);
    }
  },
};

export const entryCodeCases: Cases['Entry code'] = {
  DUPLICATE_METADATA: async (at) => {
    const metadata = at.metadata({});
    await at.issue(at.entry({ metadata }));
    const reordered = Object.fromEntries(Object.entries(metadata).reverse());
    await at.failsWithCode(at.entry({ metadata: reordered }), 'DUPLICATE_METADATA');
    // Another artist's work may have the same.
    await at.issue(at.entry({ metadata, artistAddress: at.info.artists[1]?.address }));
  },
  DUPLICATE_CHIP: async (at) => {
    const chip = newChip();
    await at.issue(at.withChips(chip));
    await at.failsWithCode(at.withChips(chip.toUpperCase()), 'DUPLICATE_CHIP');
    // Of two concurrent requests, one wins.
    const wanted = newChip();
    const answers = await Promise.all(
      [1, 2].map(() => at.issuer.post('srrs', { payload: [at.withChips(wanted)] })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    const twice = newChip();
    await at.failsWithCode(at.withChips(twice, twice), 'DUPLICATE_CHIP');
  },
  INVALID_CHIP: async (at) => {
    for (const chip of ['', 'none', '0A1B2', '0A1B2C', '0'.repeat(14), 'F'.repeat(16), 'ab'.repeat(11)])
      await at.failsWithCode(at.withChips(newChip(), chip), 'INVALID_CHIP');
    for (const bytes of [4, 7, 8, 10]) await at.issue(at.withChips(randomBytes(bytes).toString('hex')));
  },
  DUPLICATE_EXTERNAL_ID: async (at) => {
    const first = at.entry();
    await at.issue(first);
    await at.failsWithCode(at.entry({ externalId: first.externalId }), 'DUPLICATE_EXTERNAL_ID');
    const [one, two] = [at.entry({ externalId: 'twin' }), at.entry({ externalId: 'twin' })];
    await at.refusesEntries([one, two], {
      results: [
        { status: 'failed', externalId: 'twin', message: cancelled },
        { status: 'failed', externalId: 'twin', message: 'DUPLICATE_EXTERNAL_ID' },
      ],
    });
  },
  UNKNOWN_ARTIST: (at) => at.failsWithCode(at.entry({ artistAddress: unlicensed }), 'UNKNOWN_ARTIST'),
  SRR_NOT_CREATED: async (at) => {
    const entry = at.entry();
    const { externalId } = entry;
    await at.fault({ kind: 'issue', externalId, effect: 'entryNotCreated', reason: 'no paper left' });
    await at.failsWithCode(entry, 'SRR_NOT_CREATED: no paper left');
  },
  UNKNOWN_ERROR: async (at) => {
    const entry = at.entry();
    await at.fault({ kind: 'issue', externalId: entry.externalId, effect: 'entryUnknown' });
    await at.failsWithCode(entry, `UNKNOWN_ERROR: external ID: ${entry.externalId}.`);
  },
};

export const requestMessageCases: Cases['Request message'] = {
  'metadata is invalid': (at) =>
    at.refusesEntries(
      [at.entry(), at.withMetadata({ name: undefined, colour: 'red' }), at.withMetadata({ isDigital: true })],
      [
        invalidMetadata(`${required('name')}, should NOT have additional properties`, 1),
        invalidMetadata(required('digitalComponents'), 2),
      ],
    ),
  'artistAddress is no address': (at) =>
    at.refusesEntries(
      [at.entry(), at.entry({ artistAddress: `${unlicensed}0` })],
      ['payload.1.artistAddress must be a valid Ethereum addresses'],
    ),
  'externalId is empty or no string': async (at) => {
    await at.refusesEntries([at.entry({ externalId: '' })], ['payload.0.externalId should not be empty']);
    await at.refusesEntries([at.entry({ externalId: {} })], ['payload.0.externalId must be a string']);
  },
  'metadata is not defined': (at) =>
    at.refusesEntries([at.entry(), at.entry({ metadata: null })], 'Some of the metadata is not defined'),
  'metadata cannot be converted': async (at) => {
    const $schema = `${at.info.commerceUrl}/api/v1/schema/registry-record-metadata.v2.1.schema.json`;
    const old = (externalId: string) =>
      at.entry({ externalId, metadata: at.metadata({ $schema, isDigital: true }) });
    await at.refusesEntries(
      [old('older'), at.entry(), old('old')],
      `Some metadata is failed to be converted: [older] ${required('digitalComponents')}; [old] ${required('digitalComponents')}`,
    );
  },
  'address not found': (at) => {
    const withdrawn = at.info.withdrawn[0]?.address;
    return at.refusesEntries([at.entry({ artistAddress: withdrawn })], `Address not found: ${withdrawn}`);
  },
  'file URL of another host': async (at) => {
    const metadata = at.metadata({ image: 'https://elsewhere.test/a.png' });
    const signed = await at.issuer.sign('signed.png', 'artwork');
    await at.refusesEntries(
      [
        at.entry({ externalId: 'one', metadata }),
        at.entry({ externalId: 'two', metadata: at.metadata({ thumbnailURL: signed.url }) }),
      ],
      `${fileHosts} [one] image: https://elsewhere.test/a.png, [two] thumbnailURL: ${signed.url}`,
    );
  },
  'private file in metadata': async (at) => {
    const url = at.files.installation.finalUrl;
    await at.refusesEntries(
      [at.entry({ externalId: 'p', metadata: at.metadata({ contractTerms: { fileURL: url } }) })],
      `Metadata file URLs (thumbnailURL, image, contractTerms.fileURL) must be publicly accessible (category non_attachment_file or artwork). [p] contractTerms.fileURL: ${url}`,
    );
  },
  'metadata file not found': async (at) => {
    const never = (await at.issuer.sign('not-there.png', 'artwork')).finalUrl;
    const theirs = (await at.other.uploadReady('theirs.png', 'artwork', 'theirs')).finalUrl;
    await at.refusesEntries(
      [at.entry({ externalId: 'n', metadata: at.metadata({ image: never, thumbnailURL: theirs }) })],
      `Metadata file(s) not found in storage. [n] thumbnailURL: ${theirs}, [n] image: ${never}`,
    );
  },
  'metadata file not ready': (at) =>
    at.unready('artwork', (url) =>
      at.refusesEntries(
        [at.entry({ externalId: 'u', metadata: at.metadata({ image: url }) })],
        `Metadata file(s) not ready for IPFS publication (CID still being calculated). [u] image: ${url}`,
      ),
    ),
  'attachment not found': async (at) => {
    const { finalUrl } = await at.issuer.sign('never-attached.pdf', 'certificate');
    const attachmentFiles = [{ name: 'a.pdf', category: 'certificate', url: finalUrl }];
    await at.refusesEntries(
      [at.entry({ externalId: 'a', attachmentFiles })],
      `One or more attachment files were not found in storage. [a] attachmentFiles.0.url: ${finalUrl}`,
    );
  },
  'attachment not ready': (at) =>
    at.unready('installation', (url) =>
      at.refusesEntries(
        [at.entry({ attachmentFiles: [{ name: 'a', category: 'installation', url }] })],
        `Attachment hash not ready for ${url}. Wait until fileMetadata returns it.`,
      ),
    ),
  'requestId known': async (at) => {
    const requestId = 'logged once';
    const message = 'Duplicate Request Error: Same requestId already logged';
    // A request that was refused after it was logged keeps its id.
    const payload = [at.entry({ artistAddress: unlicensed })];
    expect((await at.issuer.post('srrs', { requestId, payload })).status).toBe(400);
    await at.refuses('srrs', { requestId, payload: [at.entry()] }, message);
  },
  'content known': async (at) => {
    const payload = Array.from({ length: 30 }, () => at.entry());
    const answers = await Promise.all([1, 2].map(() => at.issuer.post('srrs', { payload })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    const start = 'Request Content Error: Current request already logged with status ';
    expect([`${start}in_progress`, `${start}successful`]).toContain(
      answers.find(({ status }) => status === 400)?.body.message,
    );
    await at.refuses('srrs', { requestId: 'another', payload }, `${start}successful`);
    // Content is free again when its request failed.
    const failing = at.entry();
    await at.fault({ kind: 'issue', externalId: failing.externalId, effect: 'entryUnknown' });
    expect((await at.issuer.post('srrs', { payload: [failing] })).status).toBe(400);
    await at.issue(failing);
  },
  'filename without extension or with a space': async (at) => {
    for (const endpoint of ['signedUrls', 'fileMetadata']) {
      const refused = (filename: string, message: string[]) =>
        at.refuses(endpoint, { action: 'write', payload: [{ filename, category: 'artwork' }] }, message);
      for (const filename of ['picture', '.png', 'a.']) await refused(filename, ['extension is missing']);
      await refused('a b.png', ['space is not allowed']);
      await refused('a b', ['extension is missing', 'space is not allowed']);
    }
  },
  'category unknown': async (at) => {
    const files = ['artwork', 'Artwork', null].map((category) => ({ filename: 'a.png', category }));
    for (const endpoint of ['signedUrls', 'fileMetadata'])
      await at.refuses(
        endpoint,
        { action: 'write', payload: files },
        [1, 2].map(
          (index) =>
            `payload.${index}.category must be one of the following values: certificate,for_authenticity,artwork,installation,non_attachment_file`,
        ),
      );
  },
};

export const metadataDetailCases: Cases['Metadata detail'] = {
  'a required property is missing': async (at) => {
    for (const name of ['$schema', 'name', 'title', 'thumbnailURL', 'image', 'medium', 'yearOfCreation'])
      await at.refusesMetadata({ [name]: undefined }, required(name));
    await at.refusesMetadata({ chipUIDs: [newChip()] }, required('vendorCertICTagUIDs'));
    await at.refusesMetadata({ vendorCertICTagUIDs: [newChip()] }, required('chipUIDs'));
    await at.refusesMetadata({ isDigital: true }, required('digitalComponents'));
  },
  'an additional property': async (at) => {
    for (const name of ['colour', 'constructor', 'toString'])
      await at.refusesMetadata({ [name]: 'x' }, 'should NOT have additional properties');
  },
  'a value that is not allowed': (at) =>
    at.refusesMetadata({ size: { unit: 'px' } }, 'size.unit must be equal to one of the allowed values'),
  'an unknown $schema': async (at) => {
    for (const $schema of [
      'https://elsewhere.test/registry-record-metadata.v2.2.schema.json',
      `${at.info.commerceUrl}/api/v1/schema/registry-record-metadata.v3.0.schema.json`,
      'ipfs://bafkqaaa',
    ])
      await at.refusesMetadata({ $schema }, '$schema path is invalid, file is not found');
  },
  'a digest that does not match': (at) =>
    at.refusesMetadata({ $schemaIntegrity: 'sha256-00' }, '$schemaIntegrity does not match $schema digest'),
  'a royalty out of range': async (at) => {
    for (const royaltyRate of [-0.01, 100.01])
      await at.refusesMetadata(
        { contractTerms: { royaltyRate } },
        'royalty rate is out of the acceptable range of 0 to 100',
      );
  },
};

export const downstreamCases: Cases['500 message'] = {
  'quota exceeded': (at) =>
    at.withAllowance({ srrs: 0 }, () =>
      at.refusesEntries([at.entry()], 'SERVICE_ERROR: Quota limit exceeded!', 500),
    ),
  'NFC tags exceeded': (at) =>
    at.withAllowance({ nfcTags: 0 }, () =>
      at.refusesEntries([at.withChips(newChip())], 'SERVICE_ERROR: LUW missing NFC tag!', 500),
    ),
  'downstream failure': (at) =>
    at.refusesEntries(
      [at.entry({ collectionAddress: at.other.address })],
      `SERVICE_ERROR: ${at.other.address} is not a collection of the issuer`,
      500,
    ),
  unclassified: async (at) => {
    const entry = at.entry();
    await at.fault({ kind: 'issue', externalId: entry.externalId, effect: 'unknown' });
    await at.refusesEntries([entry], `UNKNOWN_ERROR: external ID: ${entry.externalId}`, 500);
  },
};
