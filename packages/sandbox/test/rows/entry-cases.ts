import { expect } from 'vitest';
import { ownerOf } from '../../testing/issuer.ts';
import type { Bench, Fields } from './bench.ts';
import type { Cases } from './cases.ts';

const unlicensed = '0x00000000000000000000000000000000000000aa';

/** Expects a field to be a boolean, with the same value in the subgraph. */
function flag(field: 'isPrimaryIssuer' | 'lockExternalTransfer') {
  return async (at: Bench): Promise<void> => {
    const rule = [`payload.0.${field} must be a boolean value`];
    for (const value of [undefined, 'true', 1]) await at.refusesEntries([at.entry({ [field]: value })], rule);
    for (const value of [true, false]) {
      const [{ srr }] = await at.issue(at.entry({ [field]: value }));
      expect(await at.indexed(srr.tokenId, field)).toEqual({ [field]: value });
    }
  };
}

export const entryCases: Cases['Issue entry'] = {
  externalId: async (at) => {
    const empty = 'payload.0.externalId should not be empty';
    const text = 'payload.0.externalId must be a string';
    await at.refusesEntries([at.entry({ externalId: undefined })], [text, empty]);
    await at.refusesEntries([at.entry({ externalId: '' })], [empty]);
    await at.refusesEntries([at.entry({ externalId: 7 })], [text]);
    const [result] = await at.issue(at.entry({ externalId: 'my own reference' }));
    expect(result.externalId).toBe('my own reference');
    await at.failsWithCode(at.entry({ externalId: 'my own reference' }), 'DUPLICATE_EXTERNAL_ID');
  },
  metadata: async (at) => {
    for (const metadata of [undefined, null])
      await at.refusesEntries([at.entry({ metadata })], 'Some of the metadata is not defined');
    await at.refusesEntries([at.entry({ metadata: 'text' })], ['payload.0.metadata must be an object']);
  },
  artistAddress: async (at) => {
    const rule = ['payload.0.artistAddress must be a valid Ethereum addresses'];
    for (const artistAddress of [undefined, '0x12', 5])
      await at.refusesEntries([at.entry({ artistAddress })], rule);
    await at.failsWithCode(at.entry({ artistAddress: unlicensed }), 'UNKNOWN_ARTIST');
  },
  isPrimaryIssuer: flag('isPrimaryIssuer'),
  lockExternalTransfer: flag('lockExternalTransfer'),
  to: async (at) => {
    await at.refusesEntries([at.entry({ to: 'me' })], ['payload.0.to must be a valid Ethereum addresses']);
    // A request with a refused recipient is not logged, so the corrected request is accepted.
    const request = { requestId: 'to nobody', payload: [at.entry({ to: `0x${'0'.repeat(40)}` })] };
    const rule = ['payload.0.to must be a valid Ethereum addresses'];
    await at.refuses('srrs', request, rule);
    await at.refuses('srrs', request, rule);
    const to = at.info.buyers[0]?.address;
    const entry = { ...request.payload[0], to } as Fields & { externalId: string };
    const { status, body } = await at.issuer.post('srrs', { ...request, payload: [entry] });
    expect(status, JSON.stringify(body)).toBe(201);
    const [{ srr }] = body.results;
    await at.outcome(entry.externalId);
    expect(await ownerOf(at.info, at.info.registryAddress, srr.tokenId)).toBe(to?.toLowerCase());
  },
  collectionAddress: async (at) => {
    await at.refusesEntries(
      [at.entry({ collectionAddress: '0x' })],
      ['payload.0.collectionAddress must be a valid Ethereum addresses'],
    );
    const collectionAddress = await at.collection();
    const entry = at.entry({ collectionAddress });
    const [{ srr }] = await at.issue(entry);
    await at.outcome(entry.externalId);
    expect(await ownerOf(at.info, collectionAddress, srr.tokenId)).toBe(at.issuer.address.toLowerCase());
    await at.refusesEntries(
      [at.entry({ collectionAddress: at.other.address })],
      `SERVICE_ERROR: ${at.other.address} is not a collection of the issuer`,
      500,
    );
  },
  attachmentFiles: async (at) => {
    const { artwork, certificate } = at.files;
    const metadata = await at.issueAndRead(
      at.entry({
        attachmentFiles: [
          { name: 'work.png', category: 'artwork', url: artwork.finalUrl },
          { name: 'paper.png', category: 'certificate', url: certificate.finalUrl },
        ],
      }),
    );
    expect(metadata).toMatchObject({
      digitalComponents: [{ category: 'artwork', hash: artwork.hash }],
      attachmentFiles: [{ category: 'certificate', hash: certificate.hash }],
    });
    await at.refusesEntries(
      [at.entry({ attachmentFiles: 'a.png' })],
      ['payload.0.attachmentFiles must be an array'],
    );
  },
  externalUrls: async (at) => {
    const externalUrls = ['https://first.test/', 'https://second.test/'];
    expect((await at.issueAndRead(at.entry({ externalUrls }))).external_url).toBe('https://first.test/');
    await at.refusesEntries(
      [at.entry({ externalUrls: [1] })],
      ['payload.0.each value in externalUrls must be a string'],
    );
  },
};

export const attachmentCases: Cases['Attachment entry'] = {
  name: (at) =>
    at.refusesEntries(
      [at.entry({ attachmentFiles: [{ category: 'artwork', url: at.files.artwork.finalUrl }] })],
      [
        'payload.0.attachmentFiles.0.name must be a string',
        'payload.0.attachmentFiles.0.name should not be empty',
      ],
    ),
  category: (at) =>
    at.refusesEntries(
      [at.entry({ attachmentFiles: [{ name: 'a', category: 'paper', url: at.files.artwork.finalUrl }] })],
      [
        'payload.0.attachmentFiles.0.category must be one of the following values: certificate,for_authenticity,artwork,installation',
      ],
    ),
  url: async (at) => {
    const { finalUrl, hash } = at.files.installation;
    const attached = (url: string, category = 'installation') =>
      at.entry({ externalId: 'attached', attachmentFiles: [{ name: 'a.png', category, url }] });
    // ipfs:// URLs are for metadata only.
    await at.refusesEntries(
      [attached('ipfs://bafkqaaa')],
      'File URLs must be service storage URLs (the finalUrl returned by the signed-URL endpoint) or ipfs:// URLs (metadata files only). [attached] attachmentFiles.0.url: ipfs://bafkqaaa',
    );
    // The file is one of its category, or none.
    await at.refusesEntries(
      [attached(finalUrl, 'certificate')],
      `One or more attachment files were not found in storage. [attached] attachmentFiles.0.url: ${finalUrl}`,
    );
    expect((await at.issueAndRead(attached(finalUrl))).attachmentFiles).toEqual([
      { category: 'installation', hash },
    ]);
  },
};

export const resultCases: Cases['Issue result'] = {
  status: async (at) => {
    expect((await at.issue(at.entry()))[0].status).toBe('waiting_for_mining');
  },
  externalId: async (at) => {
    const entries = [at.entry(), at.entry(), at.entry()];
    const results = await at.issue(...entries);
    expect(results.map((result: { externalId: string }) => result.externalId)).toEqual(
      entries.map(({ externalId }) => externalId),
    );
  },
  'srr.tokenId': async (at) => {
    const entry = at.entry();
    const [{ srr }] = await at.issue(entry);
    expect(srr.tokenId).toMatch(/^\d{1,12}$/);
    expect((await at.outcome(entry.externalId)).tokenId).toBe(srr.tokenId);
    expect(await ownerOf(at.info, at.info.registryAddress, srr.tokenId)).toBe(
      at.issuer.address.toLowerCase(),
    );
  },
  'srr.metadataCID': async (at) => {
    const [{ srr }] = await at.issue(at.entry());
    const response = await fetch(`${at.info.ipfsUrl}/ipfs/${srr.metadataCID}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  },
  'srr.metadataURL': async (at) => {
    const [{ srr }] = await at.issue(at.entry());
    expect(srr.metadataURL).toBe(`${at.info.ipfsUrl}/ipfs/${srr.metadataCID}`);
  },
  'srr.collectionContractAddress': async (at) => {
    const collectionAddress = await at.collection();
    const [plain, collected] = await at.issue(at.entry(), at.entry({ collectionAddress }));
    expect(plain.srr.collectionContractAddress).toBeNull();
    expect(collected.srr.collectionContractAddress).toBe(collectionAddress);
  },
};
