import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type OtherService,
  serviceFaults,
  srrIdOf,
  startOtherService,
  tokenIdOf,
} from '../_util/other-service.ts';
import { type EntryOver, OtherServiceClient } from '../_util/other-service-client.ts';

let service: OtherService;
let client: OtherServiceClient;
beforeAll(async () => {
  service = await startOtherService();
  client = new OtherServiceClient(service);
});
afterEach(() => service.plain());
afterAll(() => service?.stop());

const name = () => `${randomUUID()}.png`;
const category = 'non_attachment_file';

describe('ids', () => {
  it.each([
    [
      'bagaaieraqadwqzwbwlz2ewxdb6nvy4thckhy2vu6jsbhxll52sihrlgneo7q',
      '0x35902f4f4c94dcba48a71202b795e3ad2f75c56f',
      '166670976800',
    ],
    [
      'QmPMc4tcBsMqLRuCQtPmPe84bpSjrC3Ky7t3JWuHXYB4aS',
      '0xeba6851db73174c0bb847c0172721836b3ba267c',
      '20398948250',
    ],
  ])('of tokens follow from %s and its artist', (cid, artist, tokenId) => {
    expect(tokenIdOf(cid, artist)).toBe(tokenId);
  });

  it.each([
    ['20398948250', '0x7722fed27cd514bc7a1899d245da7d84975bccfb021a43273cabe7e19dfc0835'],
    ['820869899430', '0xcd645bb3aec38991b92dc8221126bdb7e87b6bbc4d06b97f7f91fd37c71bbf2f'],
  ])('of records in the subgraph follow from contract and token %s', (tokenId, id) => {
    expect(srrIdOf('0x5979b6061f1cac61f70a06cd968a6f67fe0b8284', tokenId)).toBe(id);
  });
});

describe('a caller', () => {
  it('gets 401 without its key or with a wrong one', async () => {
    const missing = await client.post('srrs', {}, { 'commerce-api-key': '' });
    expect(missing).toMatchObject({ status: 401, body: { statusCode: 401, message: 'Missing header' } });
    const wrong = await client.post('srrs', {}, { 'commerce-api-key': 'another' });
    expect(wrong.body.message).toBe(`API Key is not valid for ${client.account.address}`);
  });
});

describe('files', () => {
  it('get signed URLs in the order of the request, or reversed', async () => {
    const payload = [name(), name()].map((filename) => ({ filename, category }));
    const inOrder = await client.post('signedUrls', { action: 'write', payload });
    expect(inOrder.status).toBe(201);
    const names = (answer: typeof inOrder) =>
      answer.body.results.map((one: { filename: string }) => one.filename);
    expect(names(inOrder)).toEqual(payload.map(({ filename }) => filename));
    service.variants.order = 'REVERSED';
    const reversed = await client.post('signedUrls', { action: 'write', payload });
    expect(names(reversed)).toEqual(payload.map(({ filename }) => filename).toReversed());
  });

  it.each([
    ['noextension', category, 'extension is missing'],
    ['a b.png', category, 'space is not allowed'],
    ['a.png', 'picture', 'payload.0.category must be one of the following values: certificate,'],
  ])('named %s of category %s are refused', async (filename, category, message) => {
    for (const path of ['signedUrls', 'fileMetadata']) {
      const { status, body } = await client.post(path, {
        action: 'write',
        payload: [{ filename, category }],
      });
      expect(status).toBe(400);
      expect(body.message[0]).toContain(message);
    }
  });

  it('are accepted by a signed URL once, and only with the signed content type', async () => {
    const payload = [{ filename: name(), category }];
    const { body } = await client.post('signedUrls', { action: 'write', payload });
    const [{ url, contentType, finalUrl }] = body.results;
    const put = (type: string, bytes: string) =>
      fetch(url, { method: 'PUT', headers: { 'content-type': type }, body: bytes });
    expect((await put('text/plain', 'a')).status).toBe(403);
    expect((await put(contentType, 'a')).status).toBe(200);
    expect((await put(contentType, 'b')).status).toBe(412);
    expect(await (await fetch(finalUrl)).text()).toBe('a');
  });

  it('get their hash and then their CID after a delay', async () => {
    const { files } = service.variants;
    Object.assign(files, { hashMs: Number.POSITIVE_INFINITY, cidMs: Number.POSITIVE_INFINITY });
    const filename = name();
    await client.upload(filename, category, 'content');
    expect((await client.state(filename)).body.results).toEqual([
      { filename, message: 'HASH_STILL_IN_CALCULATION' },
    ]);
    const state = async () => (await client.state(filename)).body.results[0];
    files.hashMs = 0;
    expect(await state()).toEqual({
      filename,
      hash: 'sha256-ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73',
      size: 7,
    });
    files.cidMs = 0;
    expect((await state()).cid).toMatch(/^bafkrei/);
  });

  it('are listed under `results`, under `payload` or as a bare list', async () => {
    const filename = name();
    await client.upload(filename);
    for (const label of ['results', 'payload'] as const) {
      service.variants.fileList = label;
      expect((await client.state(filename)).body[label]).toHaveLength(1);
    }
    service.variants.fileList = 'BARE';
    expect((await client.state(filename)).body).toHaveLength(1);
  });

  it('can be made to fail their hash calculation', async () => {
    const filename = name();
    service.variants.files.of[filename] = { failure: 'HASH_CALCULATION_FAILED' };
    await client.upload(filename);
    expect((await client.state(filename)).body.results).toEqual([
      { filename, message: 'HASH_CALCULATION_FAILED' },
    ]);
  });

  it('that do not exist or are not visible yet are listed in a 404, bare or in `message`', async () => {
    const filename = name();
    service.variants.files.of[filename] = { invisibleMs: Number.POSITIVE_INFINITY };
    await client.upload(filename);
    const item = { index: 0, filePath: `${client.account.address}/${category}/${filename}` };
    expect(await client.state(filename)).toEqual({ status: 404, body: { statusCode: 404, message: [item] } });
    service.variants.missingList = 'BARE';
    expect(await client.state(filename)).toEqual({ status: 404, body: [item] });
    service.variants.files.of[filename] = { invisibleMs: 0 };
    expect((await client.state(filename)).status).toBe(200);
  });
});

describe('an injected fault', () => {
  it('answers the next call, or all calls', async () => {
    service.variants.next.signedUrls = [serviceFaults.badGateway()];
    const ask = () =>
      client.post('signedUrls', { action: 'write', payload: [{ filename: name(), category }] });
    expect([(await ask()).status, (await ask()).status]).toEqual([502, 201]);
    service.variants.always.fileMetadata = serviceFaults.unauthorised(client.account.address);
    expect([(await client.state('a.png')).status, (await client.state('a.png')).status]).toEqual([401, 401]);
    delete service.variants.always.fileMetadata;
    expect((await client.state('a.png')).status).toBe(404);
  });

  it('prevents the work when it is set to BEFORE, and only loses the answer when it is set to AFTER', async () => {
    const picture = await client.picture();
    for (const [when, status] of [
      ['BEFORE', 201],
      ['AFTER', 400],
    ] as const) {
      const externalId = randomUUID();
      service.variants.next.srrs = [serviceFaults.serviceError('the node is down', when)];
      const first = await client.issue([client.entry(externalId, picture)], externalId);
      expect(first.body).toEqual({ statusCode: 500, message: 'SERVICE_ERROR: the node is down' });
      expect((await client.issue([client.entry(externalId, picture)], externalId)).status).toBe(status);
      await expect.poll(() => service.chain.mintsOf(externalId)).toBe(1);
    }
  });

  it('can break the connection or delay the answer', async () => {
    service.variants.next.fileMetadata = [serviceFaults.lost('BEFORE'), serviceFaults.slow(60)];
    await expect(client.state('a.png')).rejects.toThrow();
    const began = Date.now();
    expect((await client.state('a.png')).status).toBe(404);
    expect(Date.now() - began).toBeGreaterThanOrEqual(58);
    expect(service.requests('fileMetadata').at(-2)?.answered).toBe('LOST');
  });
});

describe('an issue request', () => {
  it('is accepted with ids that follow from the document', async () => {
    const externalId = randomUUID();
    const { status, body } = await client.issue([client.entry(externalId, await client.picture())]);
    expect(status).toBe(201);
    const [{ srr, ...result }] = body.results;
    expect(result).toEqual({ status: 'waiting_for_mining', externalId });
    expect(srr).toEqual({
      tokenId: tokenIdOf(srr.metadataCID, service.artist),
      metadataCID: expect.stringMatching(/^bafkrei/),
      metadataURL: `${service.ipfsUrl}/ipfs/${srr.metadataCID}`,
      collectionContractAddress: null,
    });
    await expect.poll(() => service.chain.mintsOf(externalId)).toBe(1);
  });

  it('may be answered with unknown fields, and with the registry in different forms', async () => {
    const picture = await client.picture();
    service.variants.extraFields = true;
    service.variants.registryRecord = 'REGISTRY';
    const { body } = await client.issue([client.entry(randomUUID(), picture)]);
    expect(body.results[0].addedLater).toBeTruthy();
    expect(body.results[0].srr.collectionContractAddress).toMatch(/^0x1111/);
    service.variants.registryRecord = 'ABSENT';
    const without = await client.issue([client.entry(randomUUID(), picture)]);
    expect(without.body.results[0].srr).not.toHaveProperty('collectionContractAddress');
  });

  it('is atomic: one failing entry cancels the other entries', async () => {
    const picture = await client.picture();
    const [known, fresh] = [randomUUID(), randomUUID()];
    await client.issue([client.entry(known, picture)]);
    const both = [client.entry(known, picture, { metadata: { name: 'x' } }), client.entry(fresh, picture)];
    const { status, body } = await client.issue(both);
    expect(status).toBe(400);
    expect(body.message.results).toEqual([
      { status: 'failed', externalId: known, message: 'DUPLICATE_EXTERNAL_ID' },
      {
        status: 'failed',
        externalId: fresh,
        message: expect.stringMatching(/^SRR_NOT_CREATED: Not created/),
      },
    ]);
    service.variants.order = 'REVERSED';
    const again = await client.issue(both);
    expect(again.body.message.results[0].externalId).toBe(fresh);
  });

  it('is refused for a duplicate requestId, content, metadata or chip', async () => {
    const picture = await client.picture();
    const [id, requestId] = [randomUUID(), randomUUID()];
    const uids = [randomBytes(7).toString('hex')];
    const chip = { chipUIDs: uids, vendorCertICTagUIDs: uids };
    const entry = client.entry(id, picture, { metadata: chip });
    service.variants.processingMs = 60;
    const first = client.issue([entry], requestId);
    await expect
      .poll(async () => (await client.issue([entry])).body.message)
      .toBe('Request Content Error: Current request already logged with status in_progress');
    expect((await first).status).toBe(201);
    expect((await client.issue([entry], requestId)).body.message).toBe(
      'Duplicate Request Error: Same requestId already logged',
    );
    service.variants.firstCheck = 'CONTENT';
    expect((await client.issue([entry], requestId)).body.message).toMatch(/with status successful$/);
    const code = async (over: EntryOver) => {
      const { body } = await client.issue([{ ...entry, externalId: randomUUID(), ...over }]);
      return body.message.results[0].message;
    };
    expect(await code({})).toBe('DUPLICATE_METADATA');
    expect(await code({ metadata: { ...entry.metadata, name: 'another' } })).toBe('DUPLICATE_CHIP');
  });

  it('can be configured to report duplicate content as `successful` only after mining', async () => {
    service.variants.contentSuccessful = 'MINED';
    const externalId = randomUUID();
    service.variants.mining.of[externalId] = 'HELD';
    const entry = client.entry(externalId, await client.picture());
    await client.issue([entry]);
    const messageOf = async () => (await client.issue([entry])).body.message;
    expect(await messageOf()).toMatch(/in_progress$/);
    service.chain.mint(externalId);
    expect(await messageOf()).toMatch(/successful$/);
  });

  it('is refused with 500 beyond the quota or the chip allowance, and for an unknown artist in two forms', async () => {
    const picture = await client.picture();
    const say = async (over: EntryOver = {}) =>
      (await client.issue([client.entry(randomUUID(), picture, over)])).body;
    service.variants.quota = 0;
    expect(await say()).toEqual({ statusCode: 500, message: 'SERVICE_ERROR: Quota limit exceeded!' });
    service.plain();
    service.variants.nfcAllowance = 0;
    const chips = { chipUIDs: ['04a1b2c3d4e5f7'], vendorCertICTagUIDs: ['04a1b2c3d4e5f7'] };
    expect((await say({ metadata: chips })).message).toBe('SERVICE_ERROR: LUW missing NFC tag!');
    const stranger = { artistAddress: `0x${'99'.repeat(20)}` };
    expect((await say(stranger)).message.results[0].message).toBe('UNKNOWN_ARTIST');
    service.variants.unknownArtist = 'REQUEST';
    expect((await say(stranger)).message).toMatch(/^Address not found: 0x9999/);
  });

  it.each([
    [{ metadata: { image: 'https://elsewhere.example/a.png' } }, /^File URLs must be service storage URLs/],
    [{ metadata: { image: undefined } }, /should have required property 'image'/],
    [{ metadata: { colour: 'red' } }, /should NOT have additional properties/],
    [{ metadata: { contractTerms: { royaltyRate: 101 } } }, /royalty rate is out of the acceptable range/],
    [{ metadata: { $schema: 'https://elsewhere.example/a.json' } }, /\$schema path is invalid/],
    [{ externalId: '' }, /^payload.0.externalId should not be empty/],
    [{ artistAddress: '0x1' }, /^payload.0.artistAddress must be a valid Ethereum addresses/],
  ])('is refused as a whole for %j', async (over, words) => {
    const { status, body } = await client.issue([client.entry(randomUUID(), await client.picture(), over)]);
    expect(status).toBe(400);
    expect(String([body.message].flat()[0])).toMatch(words);
  });

  it('may use only public files with a finished hash', async () => {
    const secret = name();
    const url = await client.upload(secret, 'certificate');
    const messageOf = async (over: EntryOver) =>
      (await client.issue([client.entry(randomUUID(), await client.picture(), over)])).body.message;
    expect(await messageOf({ metadata: { image: url } })).toMatch(
      /^Metadata file URLs .* publicly accessible/,
    );
    service.variants.files.hashMs = 60_000;
    const unready = await client.upload(name());
    const attachment = await client.upload(name(), 'artwork');
    service.variants.files.of = {};
    const picture = 'ipfs://bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku';
    const own = (over: EntryOver) => client.issue([client.entry(randomUUID(), picture, over)]);
    const first = await own({ metadata: { image: unready } });
    expect(first.body.message).toMatch(/^Metadata file\(s\) not ready for IPFS publication/);
    const attachmentFiles = [{ name: 'a.png', category: 'artwork', url: attachment }];
    expect((await own({ attachmentFiles })).body.message).toMatch(/^Attachment hash not ready for /);
    const schema = await fetch(client.entry('', '').metadata.$schema);
    expect(await schema.json()).toMatchObject({ type: 'object', additionalProperties: false });
  });
});
