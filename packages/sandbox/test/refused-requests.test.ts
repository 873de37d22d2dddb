import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type IssueBench, startIssueBench } from './issue-bench.ts';

let at: IssueBench;
beforeAll(async () => {
  at = await startIssueBench();
});
afterAll(() => at?.stop());

describe('an issue request is refused for', () => {
  it.each<[string, () => unknown, unknown]>([
    ['no payload', () => ({}), ['payload must be an array']],
    ['an empty payload', () => ({ payload: [] }), ['payload should not be empty']],
    [
      'an externalId that is missing',
      () => ({ payload: [at.entry({ externalId: undefined })] }),
      ['payload.0.externalId must be a string', 'payload.0.externalId should not be empty'],
    ],
    [
      'an empty externalId',
      () => ({ payload: [at.entry({ externalId: '' })] }),
      ['payload.0.externalId should not be empty'],
    ],
    [
      'an externalId that is no text',
      () => ({ payload: [at.entry(), at.entry({ externalId: 7 })] }),
      ['payload.1.externalId must be a string'],
    ],
    [
      'an artistAddress that is no address',
      () => ({ payload: [at.entry({ artistAddress: '0x12' })] }),
      ['payload.0.artistAddress must be a valid Ethereum addresses'],
    ],
    [
      'several rules at once',
      () => ({ requestId: 5, payload: [at.entry({ to: 'me', isPrimaryIssuer: 'yes' })] }),
      [
        'requestId must be a string',
        'payload.0.isPrimaryIssuer must be a boolean value',
        'payload.0.to must be a valid Ethereum addresses',
      ],
    ],
    [
      'an attachment of a category that is for no attachment',
      () => ({
        payload: [
          at.entry({ attachmentFiles: [{ name: 'a', category: 'non_attachment_file', url: at.image }] }),
        ],
      }),
      [
        'payload.0.attachmentFiles.0.category must be one of the following values: certificate,for_authenticity,artwork,installation',
      ],
    ],
    [
      'metadata that is missing',
      () => ({ payload: [at.entry({ metadata: undefined })] }),
      'Some of the metadata is not defined',
    ],
  ])('%s', async (_, request, message) => {
    expect(await at.issuer.post('srrs', request())).toEqual({
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
    expect(await at.issuer.post('srrs', { payload: [at.withMetadata(more)] })).toEqual({
      status: 400,
      body: { statusCode: 400, message: [`${invalid}${details}`] },
    });
  });

  it('a file of another host, with the path of every occurrence', async () => {
    const foreign = at.entry({
      externalId: 'foreign',
      metadata: at.issuer.metadata('https://elsewhere.test/a.png', {
        external_url: 'https://elsewhere.test/exempt',
      }),
      attachmentFiles: [{ name: 'a', category: 'artwork', url: 'ipfs://bafkqaaa' }],
    });
    const { status, body } = await at.issuer.post('srrs', { payload: [foreign] });
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
    const { url } = await at.issuer.sign('ready.png', 'non_attachment_file');
    const { body } = await at.issuer.post('srrs', {
      payload: [at.entry({ metadata: at.issuer.metadata(url) })],
    });
    expect(body.message).toMatch(/^File URLs must be service storage URLs/);
  });

  it('a private file in a metadata field', async () => {
    const { body } = await at.issuer.post('srrs', { payload: [at.withMetadata({ image: at.certificate })] });
    expect(body).toMatchObject({ statusCode: 400 });
    expect(body.message).toMatch(
      /^Metadata file URLs \(thumbnailURL, image, contractTerms\.fileURL\) must be publicly accessible /,
    );
  });

  it('files that are missing or not ready', async () => {
    const never = (await at.issuer.sign('never.png', 'artwork')).finalUrl;
    const foreign = (await at.other.uploadReady('theirs.png', 'artwork', 'theirs')).finalUrl;
    onTestFinished(() => at.turn({ hashDelayMs: 0 }));
    await at.turn({ hashDelayMs: 3_600_000 });
    const unready = await at.issuer.upload(`${randomUUID()}.png`, 'artwork', 'unready');
    const attached = (url: string) =>
      at.entry({ attachmentFiles: [{ name: 'a', category: 'artwork', url }] });
    const refusal = async (payload: unknown[]) => (await at.issuer.post('srrs', { payload })).body.message;
    expect(await refusal([at.withMetadata({ image: never })])).toMatch(
      /^Metadata file\(s\) not found in storage/,
    );
    expect(await refusal([at.withMetadata({ image: foreign })])).toMatch(
      /^Metadata file\(s\) not found in storage/,
    );
    expect(await refusal([at.withMetadata({ image: unready })])).toMatch(
      /^Metadata file\(s\) not ready for IPFS publication \(CID still being calculated\)/,
    );
    expect(await refusal([attached(never)])).toMatch(
      /^One or more attachment files were not found in storage\. /,
    );
    expect(await refusal([attached(unready)])).toMatch(
      new RegExp(`^Attachment hash not ready for ${unready.replaceAll('.', '\\.')}\\. `),
    );
  });

  it('a requestId that is known, and content that is known', async () => {
    const requestId = randomUUID();
    const request = { requestId, payload: [at.entry()] };
    expect((await at.issuer.post('srrs', request)).status).toBe(201);
    expect((await at.issuer.post('srrs', { requestId, payload: [at.entry()] })).body).toEqual({
      statusCode: 400,
      message: 'Duplicate Request Error: Same requestId already logged',
    });
    expect((await at.issuer.post('srrs', { ...request, requestId: randomUUID() })).body).toEqual({
      statusCode: 400,
      message: 'Request Content Error: Current request already logged with status successful',
    });
    expect((await at.other.post('srrs', { requestId, payload: [] })).body.message).toEqual([
      'payload should not be empty',
    ]);
  });

  it('being the second of two equal concurrent requests', async () => {
    const payload = Array.from({ length: 20 }, () => at.entry());
    const answers = await Promise.all([
      at.issuer.post('srrs', { requestId: randomUUID(), payload }),
      at.issuer.post('srrs', { requestId: randomUUID(), payload }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(answers.find(({ status }) => status === 400)?.body.message).toMatch(
      /^Request Content Error: Current request already logged with status (in_progress|successful)$/,
    );
  });

  it('a licensed user whose licence was withdrawn', async () => {
    const withdrawn = at.test.sandbox.info.withdrawn[0]?.address;
    expect(
      (await at.issuer.post('srrs', { payload: [at.entry({ artistAddress: withdrawn })] })).body,
    ).toEqual({
      statusCode: 400,
      message: `Address not found: ${withdrawn}`,
    });
  });
});
