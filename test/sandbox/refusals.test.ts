import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestIssuer } from '../_util/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../_util/sandbox.ts';

const cancelled = 'SRR_NOT_CREATED: Not created because there is SRR in the same batch that error';
const stranger = '0x00000000000000000000000000000000000000aa';

let test: TestSandbox;
let issuer: TestIssuer;
let other: TestIssuer;
/** A public file that is ready. */
let image: string;
let certificate: string;

beforeAll(async () => {
  test = await startTestSandbox();
  issuer = new TestIssuer(test.sandbox.info);
  other = new TestIssuer(test.sandbox.info, 1);
  image = (await issuer.uploadReady('ready.png', 'non_attachment_file', 'picture')).finalUrl;
  certificate = (await issuer.uploadReady('ready.pdf', 'certificate', 'certificate')).finalUrl;
});
afterAll(() => test?.stop());

async function turn(settings: object): Promise<void> {
  const response = await fetch(`${test.sandbox.url}/sandbox/settings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
  expect(response.status, await response.text()).toBe(200);
}

function entry(more: Record<string, unknown> = {}): Record<string, unknown> {
  return issuer.entry(image, more);
}

function withMetadata(more: Record<string, unknown>): Record<string, unknown> {
  return entry({ metadata: issuer.metadata(image, more) });
}

describe('without the right credentials', () => {
  const endpoints = ['signedUrls', 'fileMetadata', 'srrs', 'collection'];

  it.each(endpoints)('%s wants both headers, and a key that belongs to the address', async (endpoint) => {
    for (const name of ['commerce-api-key', 'issuer-address'])
      expect(await issuer.post(endpoint, {}, { [name]: undefined })).toEqual({
        status: 401,
        body: { statusCode: 401, message: 'Missing header' },
      });
    for (const headers of [
      { 'commerce-api-key': 'wrong' },
      { 'issuer-address': other.address },
      { 'issuer-address': 'nonsense' },
    ])
      expect(await issuer.post(endpoint, '{', headers)).toEqual({
        status: 401,
        body: {
          statusCode: 401,
          message: `API Key is not valid for ${headers['issuer-address'] ?? issuer.address}`,
        },
      });
    const lower = await issuer.post(endpoint, {}, { 'issuer-address': issuer.address.toLowerCase() });
    expect(lower.status).toBe(400);
  });
});

describe('a body that cannot be read', () => {
  const categoryRule =
    'payload.0.category must be one of the following values: certificate,for_authenticity,artwork,installation,non_attachment_file';

  it.each([
    ['an extension that is missing', { filename: 'picture' }, ['extension is missing']],
    ['a name that is all extension', { filename: '.png' }, ['extension is missing']],
    ['a name that ends in a dot', { filename: 'a.' }, ['extension is missing']],
    ['a space', { filename: 'a b.png' }, ['space is not allowed']],
    ['both', { filename: 'a b' }, ['extension is missing', 'space is not allowed']],
    ['no category', { category: undefined }, [categoryRule]],
    ['an unknown category', { category: 'Artwork' }, [categoryRule]],
    ['a filename that is no text', { filename: 5 }, ['payload.0.filename must be a string']],
  ])('is refused for %s', async (_, fault, message) => {
    const payload = [{ filename: 'a.png', category: 'artwork', ...fault }];
    const refusal = { status: 400, body: { statusCode: 400, message } };
    expect(await issuer.post('signedUrls', { action: 'write', payload })).toEqual(refusal);
    expect(await issuer.post('fileMetadata', { payload })).toEqual(refusal);
  });

  it.each(['signedUrls', 'fileMetadata', 'srrs', 'collection'])(
    '%s answers in its envelope, whatever it is',
    async (endpoint) => {
      const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
      const bodies = ['', '{', 'null', '[]', '"text"', '{"payload":null}', '{"payload":[null,1,[]]}'];
      bodies.push(deep, '{"payload":[{"filename":"a\\u0000.png"}]}', '{"__proto__":{"a":1}}');
      bodies.push('{"payload":{"name":"\\ud800","symbol":"a"}}');
      for (const body of bodies) {
        const answer = await issuer.post(endpoint, body);
        expect(answer, body.slice(0, 80)).toMatchObject({ status: 400, body: { statusCode: 400 } });
        expect(answer.body.message.length, body.slice(0, 80)).toBeGreaterThan(0);
      }
      expect((await issuer.post(endpoint, 'a=b', { 'content-type': 'text/plain' })).status).toBe(400);
    },
  );

  it('of a collection wants name, symbol and a salt of 32 bytes', async () => {
    expect((await issuer.post('collection', { payload: { symbol: '', salt: '0x12' } })).body.message).toEqual(
      [
        'payload.name must be a string',
        'payload.name should not be empty',
        'payload.symbol should not be empty',
        'payload.salt must be 0x followed by 64 hexadecimal digits',
      ],
    );
  });
});

it('an unknown path is told in the service’s form', async () => {
  const response = await fetch(`${test.sandbox.url}/port/api/v1/nothing`);
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ statusCode: 404, message: 'Cannot GET /port/api/v1/nothing' });
});

describe('file information', () => {
  it('keeps the order, and says when a file is still being calculated', async () => {
    await turn({ hashDelayMs: 3_600_000 });
    await issuer.upload('calculating.png', 'artwork', 'not yet');
    const { body } = await issuer.post('fileMetadata', {
      payload: [
        { filename: 'calculating.png', category: 'artwork' },
        { filename: 'ready.png', category: 'non_attachment_file' },
      ],
    });
    expect(body.results).toEqual([
      { filename: 'calculating.png', message: 'HASH_STILL_IN_CALCULATION' },
      { filename: 'ready.png', hash: expect.stringMatching(/^sha256-/), cid: expect.any(String), size: 7 },
    ]);
    await turn({ hashDelayMs: 0 });
  });

  it('lists only the files that are missing', async () => {
    const answer = await issuer.post('fileMetadata', {
      payload: [
        { filename: 'ready.png', category: 'non_attachment_file' },
        { filename: 'never.png', category: 'artwork' },
        { filename: 'ready.pdf', category: 'installation' },
      ],
    });
    expect(answer).toEqual({
      status: 404,
      body: {
        statusCode: 404,
        message: [
          { index: 1, filePath: `${issuer.address}/artwork/never.png` },
          { index: 2, filePath: `${issuer.address}/installation/ready.pdf` },
        ],
      },
    });
  });
});

describe('an issue request is refused for', () => {
  it.each<[string, () => unknown, unknown]>([
    ['no payload', () => ({}), ['payload must be an array']],
    ['an empty payload', () => ({ payload: [] }), ['payload should not be empty']],
    [
      'an externalId that is missing',
      () => ({ payload: [entry({ externalId: undefined })] }),
      ['payload.0.externalId must be a string', 'payload.0.externalId should not be empty'],
    ],
    [
      'an empty externalId',
      () => ({ payload: [entry({ externalId: '' })] }),
      ['payload.0.externalId should not be empty'],
    ],
    [
      'an externalId that is no text',
      () => ({ payload: [entry(), entry({ externalId: 7 })] }),
      ['payload.1.externalId must be a string'],
    ],
    [
      'an artistAddress that is no address',
      () => ({ payload: [entry({ artistAddress: '0x12' })] }),
      ['payload.0.artistAddress must be a valid Ethereum addresses'],
    ],
    [
      'several rules at once',
      () => ({ requestId: 5, payload: [entry({ to: 'me', isPrimaryIssuer: 'yes' })] }),
      [
        'requestId must be a string',
        'payload.0.isPrimaryIssuer must be a boolean value',
        'payload.0.to must be a valid Ethereum addresses',
      ],
    ],
    [
      'an attachment of a category that is for no attachment',
      () => ({
        payload: [entry({ attachmentFiles: [{ name: 'a', category: 'non_attachment_file', url: image }] })],
      }),
      [
        'payload.0.attachmentFiles.0.category must be one of the following values: certificate,for_authenticity,artwork,installation',
      ],
    ],
    [
      'metadata that is missing',
      () => ({ payload: [entry({ metadata: undefined })] }),
      'Some of the metadata is not defined',
    ],
  ])('%s', async (_, request, message) => {
    expect(await issuer.post('srrs', request())).toEqual({
      status: 400,
      body: { statusCode: 400, message },
    });
  });

  const invalid = 'payload.0.metadata is invalid. Check it against the metadata JSON schema. Details: ';
  it.each<[string, Record<string, unknown>, string]>([
    ['a property that is missing', { name: undefined }, "should have required property 'name'"],
    ['a property that is unknown', { colour: 'red' }, 'should NOT have additional properties'],
    [
      'a nested property that is unknown',
      { size: { weight: 1 } },
      'size should NOT have additional properties',
    ],
    [
      'a unit that is unknown',
      { size: { unit: 'mile' } },
      'size.unit must be equal to one of the allowed values',
    ],
    ['an unknown schema', { $schema: 'https://x.test/s.json' }, '$schema path is invalid, file is not found'],
    [
      'another digest of the schema',
      { $schemaIntegrity: 'sha256-00' },
      '$schemaIntegrity does not match $schema digest',
    ],
    [
      'a royalty out of range',
      { contractTerms: { royaltyRate: 100.5 } },
      'royalty rate is out of the acceptable range of 0 to 100',
    ],
    [
      'chips without their alias',
      { chipUIDs: ['0123456789abcdef'] },
      "should have required property 'vendorCertICTagUIDs'",
    ],
    ['an alias without its chips', { vendorCertICTagUIDs: [] }, "should have required property 'chipUIDs'"],
    [
      'a digital work without components',
      { isDigital: true },
      "should have required property 'digitalComponents'",
    ],
    ['a title that is no language map', { title: 'Harbour' }, 'title must be object'],
  ])('metadata with %s', async (_, more, details) => {
    expect(await issuer.post('srrs', { payload: [withMetadata(more)] })).toEqual({
      status: 400,
      body: { statusCode: 400, message: [`${invalid}${details}`] },
    });
  });

  it('a file of another host, with every place it stands in', async () => {
    const foreign = entry({
      externalId: 'foreign',
      metadata: issuer.metadata('https://elsewhere.test/a.png', {
        external_url: 'https://elsewhere.test/exempt',
      }),
      attachmentFiles: [{ name: 'a', category: 'artwork', url: 'ipfs://bafkqaaa' }],
    });
    const { status, body } = await issuer.post('srrs', { payload: [foreign] });
    expect(status).toBe(400);
    expect(body.message).toMatch(
      /^File URLs must be service storage URLs \(the finalUrl returned by the signed-URL endpoint\) or ipfs:\/\/ URLs /,
    );
    for (const place of [
      '[foreign] thumbnailURL: https://elsewhere.test/a.png',
      '[foreign] image: https://elsewhere.test/a.png',
      '[foreign] attachmentFiles.0.url: ipfs://bafkqaaa',
    ])
      expect(body.message).toContain(place);
    expect(body.message).not.toContain('exempt');
  });

  it('a signed URL in the place of a finalUrl', async () => {
    const { url } = await issuer.sign('ready.png', 'non_attachment_file');
    const { body } = await issuer.post('srrs', { payload: [entry({ metadata: issuer.metadata(url) })] });
    expect(body.message).toMatch(/^File URLs must be service storage URLs/);
  });

  it('a private file in a metadata field', async () => {
    const { body } = await issuer.post('srrs', { payload: [withMetadata({ image: certificate })] });
    expect(body).toMatchObject({ statusCode: 400 });
    expect(body.message).toMatch(
      /^Metadata file URLs \(thumbnailURL, image, contractTerms\.fileURL\) must be publicly accessible /,
    );
  });

  it('files that are not there, or not ready', async () => {
    const never = (await issuer.sign('never.png', 'artwork')).finalUrl;
    const foreign = (await other.uploadReady('theirs.png', 'artwork', 'theirs')).finalUrl;
    await turn({ hashDelayMs: 3_600_000 });
    const unready = await issuer.upload('unready.png', 'artwork', 'unready');
    const attached = (url: string) => entry({ attachmentFiles: [{ name: 'a', category: 'artwork', url }] });
    const refusal = async (payload: unknown[]) => (await issuer.post('srrs', { payload })).body.message;
    expect(await refusal([withMetadata({ image: never })])).toMatch(
      /^Metadata file\(s\) not found in storage/,
    );
    expect(await refusal([withMetadata({ image: foreign })])).toMatch(
      /^Metadata file\(s\) not found in storage/,
    );
    expect(await refusal([withMetadata({ image: unready })])).toMatch(
      /^Metadata file\(s\) not ready for IPFS publication \(CID still being calculated\)/,
    );
    expect(await refusal([attached(never)])).toMatch(
      /^One or more attachment files were not found in storage\. /,
    );
    expect(await refusal([attached(unready)])).toMatch(
      new RegExp(`^Attachment hash not ready for ${unready.replaceAll('.', '\\.')}\\. `),
    );
    await turn({ hashDelayMs: 0 });
  });

  it('a requestId that is known, and content that is known', async () => {
    const request = { requestId: 'once', payload: [entry()] };
    expect((await issuer.post('srrs', request)).status).toBe(201);
    expect((await issuer.post('srrs', { requestId: 'once', payload: [entry()] })).body).toEqual({
      statusCode: 400,
      message: 'Duplicate Request Error: Same requestId already logged',
    });
    expect((await issuer.post('srrs', { ...request, requestId: 'twice' })).body).toEqual({
      statusCode: 400,
      message: 'Request Content Error: Current request already logged with status successful',
    });
    expect((await other.post('srrs', { requestId: 'once', payload: [] })).body.message).toEqual([
      'payload should not be empty',
    ]);
  });

  it('being the second of two equal requests at one moment', async () => {
    const payload = Array.from({ length: 20 }, () => entry());
    const answers = await Promise.all([
      issuer.post('srrs', { requestId: 'left', payload }),
      issuer.post('srrs', { requestId: 'right', payload }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(answers.find(({ status }) => status === 400)?.body.message).toMatch(
      /^Request Content Error: Current request already logged with status (in_progress|successful)$/,
    );
  });

  it('its licensed users: one that was withdrawn', async () => {
    const withdrawn = test.sandbox.info.withdrawn[0]?.address;
    expect((await issuer.post('srrs', { payload: [entry({ artistAddress: withdrawn })] })).body).toEqual({
      statusCode: 400,
      message: `Address not found: ${withdrawn}`,
    });
  });
});

describe('an entry fails alone, and takes its batch with it, for', () => {
  async function expectFailure(bad: Record<string, unknown>, message: string): Promise<void> {
    const good = entry();
    const answer = await issuer.post('srrs', { payload: [good, bad] });
    expect(answer).toEqual({
      status: 400,
      body: {
        statusCode: 400,
        message: {
          results: [
            { status: 'failed', externalId: good.externalId, message: cancelled },
            { status: 'failed', externalId: bad.externalId, message },
          ],
        },
      },
    });
    // Nothing of the batch was issued: the good one may come again.
    expect((await issuer.post('srrs', { payload: [good] })).status).toBe(201);
  }

  it('an artist that nobody knows', () =>
    expectFailure(entry({ artistAddress: stranger }), 'UNKNOWN_ARTIST'));

  it('an externalId that was used, also by another case of failure', async () => {
    const externalId = randomUUID();
    expect((await issuer.post('srrs', { payload: [entry({ externalId })] })).status).toBe(201);
    await expectFailure(entry({ externalId }), 'DUPLICATE_EXTERNAL_ID');
    // Another issuer's references are its own.
    const theirs = (await other.uploadReady('own.png', 'artwork', 'own')).finalUrl;
    expect((await other.post('srrs', { payload: [other.entry(theirs, { externalId })] })).status).toBe(201);
  });

  it('metadata that was issued, however its keys are ordered', async () => {
    const metadata = issuer.metadata(image);
    expect((await issuer.post('srrs', { payload: [entry({ metadata })] })).status).toBe(201);
    const reordered = Object.fromEntries(Object.entries(metadata).reverse());
    await expectFailure(entry({ metadata: reordered }), 'DUPLICATE_METADATA');
    const artistAddress = test.sandbox.info.artists[1]?.address;
    expect((await issuer.post('srrs', { payload: [entry({ metadata, artistAddress })] })).status).toBe(201);
  });

  it('chips that are malformed or taken', async () => {
    const chipped = (...chips: string[]) => withMetadata({ chipUIDs: chips, vendorCertICTagUIDs: chips });
    await expectFailure(chipped('not a chip'), 'INVALID_CHIP');
    expect((await issuer.post('srrs', { payload: [chipped('04A2B3C4D5E6F7')] })).status).toBe(201);
    await expectFailure(chipped('04a2b3c4d5e6f7'), 'DUPLICATE_CHIP');
    await expectFailure(chipped('04a2b3c4d5e6f8', '04a2b3c4d5e6f8'), 'DUPLICATE_CHIP');
  });

  it('what an entry before it in the same request takes', async () => {
    const externalId = randomUUID();
    const { body } = await issuer.post('srrs', { payload: [entry({ externalId }), entry({ externalId })] });
    expect(body.message.results.map((result: { message: string }) => result.message)).toEqual([
      cancelled,
      'DUPLICATE_EXTERNAL_ID',
    ]);
  });

  it('what another request takes at the same moment', async () => {
    const externalId = randomUUID();
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => issuer.post('srrs', { payload: [entry({ externalId })] })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
  });
});

describe('a step behind the service refuses', () => {
  it('a collection that is not the issuer’s', async () => {
    const answer = await issuer.post('srrs', { payload: [entry({ collectionAddress: stranger })] });
    expect(answer).toMatchObject({ status: 500, body: { statusCode: 500 } });
    expect(answer.body.message).toMatch(/^SERVICE_ERROR: /);
  });

  it('more records or tags than the wallet may use, over the whole request', async () => {
    const image = (await other.uploadReady('quota.png', 'artwork', 'quota')).finalUrl;
    const chipped = (chip: string) => {
      const chips = [chip];
      return other.entry(image, {
        metadata: other.metadata(image, { chipUIDs: chips, vendorCertICTagUIDs: chips }),
      });
    };
    await turn({ quotas: [{ address: other.address, srrs: 100, nfcTags: 1 }] });
    const both = [chipped('0011223344556677'), chipped('0011223344556688')];
    expect((await other.post('srrs', { payload: both })).body).toEqual({
      statusCode: 500,
      message: 'SERVICE_ERROR: LUW missing NFC tag!',
    });
    await turn({ quotas: [{ address: other.address, srrs: 0 }] });
    expect((await other.post('srrs', { payload: [other.entry(image)] })).body).toEqual({
      statusCode: 500,
      message: 'SERVICE_ERROR: Quota limit exceeded!',
    });
  });
});
