import { expect } from 'vitest';
import { ownerOf } from '../../testing/issuer.ts';
import { cancelled, newChip } from './bench.ts';
import type { Cases } from './cases.ts';

export const srrsCases: Cases['srrs field'] = {
  requestId: async (at) => {
    await at.refuses('srrs', { requestId: 5, payload: [at.entry()] }, ['requestId must be a string']);
    const requestId = 'of one issuer';
    expect((await at.issuer.post('srrs', { requestId, payload: [at.entry()] })).status).toBe(201);
    await at.refuses(
      'srrs',
      { requestId, payload: [at.entry()] },
      'Duplicate Request Error: Same requestId already logged',
    );
    const theirs = (await at.other.uploadReady('request-id.png', 'artwork', 'x')).finalUrl;
    expect((await at.other.post('srrs', { requestId, payload: [at.other.entry(theirs)] })).status).toBe(201);
  },
  payload: async (at) => {
    await at.refuses('srrs', {}, ['payload must be an array']);
    await at.refuses('srrs', { payload: at.entry() }, ['payload must be an array']);
    await at.refuses('srrs', { payload: ['text'] }, expect.arrayContaining(['payload.0 must be an object']));
  },
};

export const srrsRuleCases: Cases['srrs rule'] = {
  '1 hosts of file URLs': async (at) => {
    const url = 'https://elsewhere.test/a.png';
    const entry = at.entry({
      externalId: 'hosts',
      metadata: at.metadata({
        image: url,
        thumbnailURL: url,
        contractTerms: { fileURL: url },
        external_url: url,
      }),
      attachmentFiles: [{ name: 'a', category: 'artwork', url }],
    });
    const places = ['thumbnailURL', 'image', 'contractTerms.fileURL', 'attachmentFiles.0.url'];
    await at.refusesEntries(
      [entry],
      `File URLs must be service storage URLs (the finalUrl returned by the signed-URL endpoint) or ipfs:// URLs (metadata files only). ${places.map((field) => `[hosts] ${field}: ${url}`).join(', ')}`,
    );
  },
  '2 public files in metadata': (at) => {
    const { finalUrl } = at.files.certificate;
    return at.refusesEntries(
      [at.entry({ externalId: 'private', metadata: at.metadata({ image: finalUrl }) })],
      `Metadata file URLs (thumbnailURL, image, contractTerms.fileURL) must be publicly accessible (category non_attachment_file or artwork). [private] image: ${finalUrl}`,
    );
  },
  '3 files are there and ready': async (at) => {
    const { finalUrl } = await at.issuer.sign('never-uploaded.png', 'artwork');
    await at.refusesEntries(
      [at.entry({ externalId: 'there', metadata: at.metadata({ image: finalUrl }) })],
      `Metadata file(s) not found in storage. [there] image: ${finalUrl}`,
    );
    await at.unready('certificate', (url) =>
      at.refusesEntries(
        [at.entry({ attachmentFiles: [{ name: 'a', category: 'certificate', url }] })],
        `Attachment hash not ready for ${url}. Wait until fileMetadata returns it.`,
      ),
    );
  },
  '4 no recipient': async (at) => {
    const entry = at.entry();
    const [{ srr }] = await at.issue(entry);
    await at.outcome(entry.externalId);
    expect(await ownerOf(at.info, at.info.registryAddress, srr.tokenId)).toBe(
      at.issuer.address.toLowerCase(),
    );
  },
  '5 chips and records are counted': async (at) => {
    const image = (await at.other.uploadReady('counted.png', 'artwork', 'counted')).finalUrl;
    const chipped = (...chips: string[]) =>
      at.other.entry(image, {
        metadata: at.other.metadata(image, { chipUIDs: chips, vendorCertICTagUIDs: chips }),
      });
    await at.turn({ quotas: [{ address: at.other.address, srrs: 100_000, nfcTags: 2 }] });
    const three = [chipped(newChip(), newChip()), chipped(newChip())];
    expect(await at.other.post('srrs', { payload: three })).toEqual({
      status: 500,
      body: { statusCode: 500, message: 'SERVICE_ERROR: LUW missing NFC tag!' },
    });
    expect((await at.other.post('srrs', { payload: three.slice(0, 1) })).status).toBe(201);
    expect((await at.other.post('srrs', { payload: three.slice(1) })).status).toBe(500);
    // Records without tags need none.
    expect((await at.other.post('srrs', { payload: [at.other.entry(image)] })).status).toBe(201);
    await at.turn({ quotas: [{ address: at.other.address, srrs: 1, nfcTags: 100_000 }] });
    expect(await at.other.post('srrs', { payload: [at.other.entry(image)] })).toEqual({
      status: 500,
      body: { statusCode: 500, message: 'SERVICE_ERROR: Quota limit exceeded!' },
    });
    await at.turn({ quotas: [{ address: at.other.address, srrs: 100_000 }] });
  },
  '6 the batch is atomic': async (at) => {
    const [first, last] = [at.entry(), at.entry()];
    const bad = at.withChips('none');
    await at.refusesEntries([first, bad, last], {
      results: [
        { status: 'failed', externalId: first.externalId, message: cancelled },
        { status: 'failed', externalId: bad.externalId, message: 'INVALID_CHIP' },
        { status: 'failed', externalId: last.externalId, message: cancelled },
      ],
    });
    // Nothing of them was issued: their externalIds and metadata are free.
    await at.issue(first, last);
  },
  '7 one entry or more': async (at) => {
    await at.refuses('srrs', { payload: [] }, ['payload should not be empty']);
    expect(await at.issue(...Array.from({ length: 251 }, () => at.entry()))).toHaveLength(251);
  },
};

export const endpointCases: Cases['Endpoint'] = {
  'signedUrls answers 201': async (at) => {
    const names = ['z.png', 'a.pdf', 'm.bin-of-nothing-known'];
    const payload = names.map((filename) => ({ filename, category: 'for_authenticity' }));
    const types = ['image/png', 'application/pdf', 'application/octet-stream'];
    await at.shows('signedUrls', { action: 'write', payload }, 201, {
      results: names.map((filename, index) => ({
        filename,
        contentType: types[index],
        url: expect.stringMatching(/^http.*\?Expires=\d+&Signature=[0-9a-f]{64}$/),
        finalUrl: `${at.info.commerceUrl}/storage/private/${at.issuer.address}/for_authenticity/${filename}`,
      })),
    });
  },
  'the upload answers 200': async (at) => {
    const { url, contentType } = await at.issuer.sign('uploaded.png', 'artwork');
    const headers = { 'content-type': contentType };
    expect((await fetch(url, { method: 'PUT', headers, body: 'x' })).status).toBe(200);
  },
  'fileMetadata answers 200 in order': async (at) => {
    const categories = ['installation', 'artwork', 'certificate'] as const;
    const payload = categories.map((category) => ({ filename: `ready-${category}.png`, category }));
    await at.shows('fileMetadata', { payload }, 200, {
      results: categories.map((category) => {
        const { hash, cid, size } = at.files[category];
        return { filename: `ready-${category}.png`, hash, cid, size };
      }),
    });
  },
  'fileMetadata answers 404 with the missing files': async (at) => {
    const payload = [
      { filename: 'ready-artwork.png', category: 'artwork' },
      { filename: 'never.png', category: 'artwork' },
      { filename: 'ready-artwork.png', category: 'certificate' },
    ];
    const missing = (issuer: string) => [
      { index: 1, filePath: `${issuer}/artwork/never.png` },
      { index: 2, filePath: `${issuer}/certificate/ready-artwork.png` },
    ];
    await at.refuses('fileMetadata', { payload }, missing(at.issuer.address), 404);
    // With this setting: the bare list.
    await at.small.upload('ready-artwork.png', 'artwork', 'small');
    expect(await at.small.post('fileMetadata', { payload })).toEqual({
      status: 404,
      body: missing(at.small.address),
    });
  },
  'srrs answers 201': async (at) => {
    const [first, second] = [at.entry(), at.entry()];
    await at.shows('srrs', { requestId: 'shape', payload: [first, second] }, 201, {
      results: [first, second].map(({ externalId }) => ({
        status: 'waiting_for_mining',
        externalId,
        srr: {
          tokenId: expect.stringMatching(/^\d{1,12}$/),
          metadataCID: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/),
          metadataURL: expect.stringContaining('/ipfs/bafkrei'),
          collectionContractAddress: null,
        },
      })),
    });
  },
  'collection answers 201': async (at) => {
    await at.shows('collection', { payload: { name: 'Waves', symbol: 'WAVE' } }, 201, {
      result: {
        name: 'Waves',
        symbol: 'WAVE',
        collectionAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        status: 'waiting_for_mining',
      },
    });
    await at.refuses('collection', { payload: { salt: '0x12' } }, [
      'payload.name must be a string',
      'payload.name should not be empty',
      'payload.symbol must be a string',
      'payload.symbol should not be empty',
      'payload.salt must be 0x followed by 64 hexadecimal digits',
    ]);
  },
};
