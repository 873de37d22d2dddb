import { request } from 'node:http';
import { expect } from 'vitest';
import { readSettings } from '../../src/start.ts';
import { newChip } from './bench.ts';
import type { Cases } from './cases.ts';

/** Announces a body of this length and waits for the answer, without sending any of it. */
function announce(url: string, contentType: string, length: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': contentType, 'content-length': length };
    const sending = request(url, { method: 'PUT', headers }, (response) => {
      resolve(response.statusCode);
      sending.destroy();
    });
    sending.on('error', reject);
    sending.flushHeaders();
  });
}

export const limitCases: Cases['Limit'] = {
  'file size': async (at) => {
    const { url, contentType } = await at.issuer.sign('huge.bin', 'artwork');
    expect(await announce(url, contentType, 2 ** 31)).toBe(400);
    // The same limit, set lower so that it can be reached.
    const put = async (filename: string, bytes: number) => {
      const { url, contentType } = await at.small.sign(filename, 'artwork');
      const headers = { 'content-type': contentType };
      return (await fetch(url, { method: 'PUT', headers, body: 'x'.repeat(bytes) })).status;
    };
    expect([await put('at-limit.bin', 100), await put('below.bin', 99)]).toEqual([400, 200]);
  },
  'validity of a signed URL': async (at) => {
    const { url, contentType } = await at.issuer.sign('valid.png', 'artwork');
    const put = async () => {
      const headers = { 'content-type': contentType };
      return (await fetch(url, { method: 'PUT', headers, body: 'x' })).status;
    };
    await at.turn({ clockOffsetMs: 15 * 60_000 + 1_000 });
    expect(await put()).toBe(403);
    await at.turn({ clockOffsetMs: 14 * 60_000 });
    expect(await put()).toBe(200);
    await at.turn({ clockOffsetMs: 0 });
  },
  'automatic hash and cid': async (at) => {
    expect(readSettings({}).hashLimitBytes).toBe(20 * 2 ** 30);
    // With a limit of 10 bytes: files of up to 10 bytes are hashed, larger ones never.
    await at.small.upload('above.txt', 'artwork', '01234567890');
    await at.small.uploadReady('up-to.txt', 'artwork', '0123456789');
    const payload = [{ filename: 'above.txt', category: 'artwork' }];
    expect((await at.small.post('fileMetadata', { payload })).body).toEqual({
      results: [{ filename: 'above.txt', message: 'HASH_STILL_IN_CALCULATION' }],
    });
  },
  'entries of a request': async (at) => {
    await at.refuses('srrs', { payload: [] }, ['payload should not be empty']);
    expect(await at.issue(...Array.from({ length: 300 }, () => at.entry()))).toHaveLength(300);
  },
  'files of a call': async (at) => {
    const payload = Array.from({ length: 3_000 }, (_, index) => ({
      filename: `many-${index}.png`,
      category: 'artwork',
    }));
    const signed = await at.issuer.post('signedUrls', { action: 'write', payload });
    expect([signed.status, signed.body.results.length]).toEqual([201, 3_000]);
    const known = await at.issuer.post('fileMetadata', { payload });
    expect([known.status, known.body.message.length]).toEqual([404, 3_000]);
  },
  filename: async (at) => {
    const payload = [{ filename: 'no extension', category: 'artwork' }];
    await at.refuses('signedUrls', { action: 'write', payload }, [
      'extension is missing',
      'space is not allowed',
    ]);
    await at.issuer.upload('limit.png', 'artwork', 'x');
    const { url, contentType } = await at.issuer.sign('limit.png', 'artwork');
    const again = await fetch(url, { method: 'PUT', headers: { 'content-type': contentType }, body: 'y' });
    expect(again.status).toBe(412);
  },
  requestId: async (at) => {
    const request = () => ({ requestId: 'limited', payload: [at.entry()] });
    expect((await at.issuer.post('srrs', request())).status).toBe(201);
    await at.refuses('srrs', request(), 'Duplicate Request Error: Same requestId already logged');
  },
  royaltyRate: async (at) => {
    for (const royaltyRate of [0, 0.01, 99.99, 100])
      await at.issue(at.withMetadata({ contractTerms: { royaltyRate } }));
    for (const royaltyRate of [-1, 101, 1e300])
      await at.refusesMetadata(
        { contractTerms: { royaltyRate } },
        'royalty rate is out of the acceptable range of 0 to 100',
      );
  },
  'issuance quota': (at) =>
    at.withAllowance({ srrs: 1 }, () =>
      at.refusesEntries([at.entry(), at.entry()], 'SERVICE_ERROR: Quota limit exceeded!', 500),
    ),
  'NFC allowance': (at) =>
    at.withAllowance({ nfcTags: 1 }, () =>
      at.refusesEntries(
        [at.withChips(newChip()), at.withChips(newChip())],
        'SERVICE_ERROR: LUW missing NFC tag!',
        500,
      ),
    ),
};

export const versioningCases: Cases['Versioning'] = {
  '1 the version is in the path': async (at) => {
    for (const path of ['/port/api/v2/commerce/srrs', '/commerce/srrs']) {
      const response = await fetch(`${at.info.commerceUrl}${path}`, { method: 'POST' });
      expect([response.status, await response.json()]).toEqual([
        404,
        { statusCode: 404, message: `Cannot POST ${path}` },
      ]);
    }
  },
  '2 $schema selects the version': async (at) => {
    const schema = (version: string) =>
      `${at.info.commerceUrl}/api/v1/schema/registry-record-metadata.v${version}.schema.json`;
    const chips = { '2.0': 'vendorCertICTagUIDs', '2.1': 'chipUIDs' };
    for (const [version, name] of Object.entries(chips)) {
      const metadata = at.metadata({ $schema: schema(version), [name]: [newChip()] });
      // Issued in the current version, whichever version was sent.
      expect(await at.issueAndRead(at.entry({ metadata }))).toEqual({
        ...metadata,
        $schema: schema('2.2'),
        image: `ipfs://${at.files.non_attachment_file.cid}`,
        thumbnailURL: `ipfs://${at.files.non_attachment_file.cid}`,
        chipUIDs: metadata[name],
        vendorCertICTagUIDs: metadata[name],
      });
    }
    const ipfs = 'ipfs://bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay';
    await at.issue(at.withMetadata({ $schema: ipfs }));
    await at.refusesMetadata(
      { $schema: ipfs, chipUIDs: [newChip()] },
      "should have required property 'vendorCertICTagUIDs'",
    );
  },
  '3 answers have the documented fields': async (at) => {
    const [result] = await at.issue(at.entry());
    expect(Object.keys(result)).toEqual(['status', 'externalId', 'srr']);
    const signed = await at.issuer.sign('fields.png', 'artwork');
    expect(Object.keys(signed)).toEqual(['filename', 'contentType', 'url', 'finalUrl']);
  },
  '4 deprecated inputs work': async (at) => {
    const chips = [newChip()];
    const entry = at.entry({
      metadata: at.metadata({ chipUIDs: chips, vendorCertICTagUIDs: chips }),
      externalUrls: ['https://deprecated.test/'],
    });
    expect(await at.issueAndRead(entry)).toMatchObject({
      external_url: 'https://deprecated.test/',
      vendorCertICTagUIDs: chips,
    });
  },
  '5 answers hold identifiers only': async (at) => {
    const [{ srr }] = await at.issue(at.entry());
    const fields = ['tokenId', 'metadataCID', 'metadataURL', 'collectionContractAddress'];
    expect(Object.keys(srr)).toEqual(fields);
  },
};

export const eventCases: Cases['Event'] = {
  '1 the webhook tells the outcome': async (at) => {
    const entry = at.entry();
    const [{ srr }] = await at.issue(entry);
    expect(await at.outcome(entry.externalId)).toEqual({
      groupId: expect.any(String),
      status: 'issued',
      srrId: srr.tokenId,
      externalId: entry.externalId,
      ...srr,
    });
  },
  '2 failures on the chain are reported': async (at) => {
    const entry = at.entry({ externalId: 'fail-gas-over-allowance-row' });
    const [{ srr }] = await at.issue(entry);
    expect(await at.outcome(entry.externalId, 'issue_failed')).toMatchObject({
      status: 'failed',
      tokenId: srr.tokenId,
      message: expect.stringContaining('gas'),
    });
  },
  '3 acceptance is not reported': async (at) => {
    const { entries, received } = at.running.receiver;
    const entry = at.entry();
    await at.issue(entry);
    await at.outcome(entry.externalId);
    const reported = received
      .flatMap(({ body }) => body.data)
      .filter((e) => e.externalId === entry.externalId);
    expect(reported).toHaveLength(1);
    expect(entries('issue_complete')).toContainEqual(reported[0]);
  },
};
