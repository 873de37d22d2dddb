import { createHash, randomUUID } from 'node:crypto';
import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import { sha256 } from 'multiformats/hashes/sha2';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ownerOf, TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../testing/sandbox.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts';

let test: TestSandbox;
let receiver: WebhookReceiver;
let issuer: TestIssuer;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  test = await startTestSandbox({ webhooks: [{ url: receiver.url, key: 'hook-key' }] });
  issuer = new TestIssuer(test.sandbox.info);
});
afterAll(async () => {
  await test?.stop();
  await receiver?.stop();
});

/** The outcome of a record that the webhook reported. */
function outcomeOf(externalId: unknown, type = 'issue_complete') {
  return expect
    .poll(() => receiver.entries(type).find((entry) => entry.externalId === externalId), { timeout: 15_000 })
    .toBeDefined()
    .then(() => receiver.entries(type).find((entry) => entry.externalId === externalId));
}

/** The first record that a query finds, once the subgraph has it. */
function indexed(query: string): Promise<unknown> {
  return vi.waitUntil(
    async () => {
      const response = await fetch(test.sandbox.info.subgraphUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      const { data, errors } = (await response.json()) as { data?: { srrs: unknown[] }; errors?: unknown };
      expect(errors).toBeUndefined();
      return data?.srrs[0];
    },
    { timeout: 10_000 },
  );
}

describe('a record', () => {
  it('is issued from its files, with the same owner on the chain, in the webhook and in the subgraph', async () => {
    const { info } = test.sandbox;
    const image = await issuer.uploadReady('harbour.png', 'non_attachment_file', 'picture bytes');
    const terms = await issuer.uploadReady('terms.pdf', 'non_attachment_file', 'terms bytes');
    const artwork = await issuer.uploadReady('film.mp4', 'artwork', 'film bytes');
    const certificate = await issuer.uploadReady('certificate.pdf', 'certificate', 'certificate bytes');
    const entry = issuer.entry(image.finalUrl, {
      metadata: issuer.metadata(image.finalUrl, {
        contractTerms: { royaltyRate: 15.7, fileURL: terms.finalUrl },
        isDigital: true,
      }),
      attachmentFiles: [
        { name: 'film.mp4', category: 'artwork', url: artwork.finalUrl },
        { name: 'certificate.pdf', category: 'certificate', url: certificate.finalUrl },
      ],
      externalUrls: ['https://example.test/harbour', 'https://example.test/ignored'],
    });
    const { status, body } = await issuer.post('srrs', { requestId: randomUUID(), payload: [entry] });
    expect(status, JSON.stringify(body)).toBe(201);
    const [result] = body.results;
    expect(body).toEqual({
      results: [
        {
          status: 'waiting_for_mining',
          externalId: entry.externalId,
          srr: {
            tokenId: expect.stringMatching(/^\d{1,12}$/),
            metadataCID: expect.stringMatching(/^bafkrei/),
            metadataURL: `${info.ipfsUrl}/ipfs/${result.srr.metadataCID}`,
            collectionContractAddress: null,
          },
        },
      ],
    });

    const delivered = await outcomeOf(entry.externalId);
    expect(delivered).toMatchObject({
      groupId: expect.any(String),
      srrId: result.srr.tokenId,
      tokenId: result.srr.tokenId,
      metadataCID: result.srr.metadataCID,
      metadataURL: result.srr.metadataURL,
      collectionContractAddress: null,
    });
    expect(receiver.received[0]).toMatchObject({ apiKey: 'hook-key', contentType: 'application/json' });
    expect(await ownerOf(info, info.registryAddress, result.srr.tokenId)).toBe(issuer.address.toLowerCase());

    const published = await fetch(result.srr.metadataURL);
    const bytes = Buffer.from(await published.arrayBuffer());
    expect(published.headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(bytes.toString())).toEqual({
      ...(entry.metadata as object),
      thumbnailURL: `ipfs://${image.cid}`,
      image: `ipfs://${image.cid}`,
      contractTerms: { royaltyRate: 15.7, fileURL: `ipfs://${terms.cid}` },
      external_url: 'https://example.test/harbour',
      digitalComponents: [{ category: 'artwork', hash: artwork.hash }],
      attachmentFiles: [{ category: 'certificate', hash: certificate.hash }],
    });
    for (const file of [image, terms, artwork])
      expect((await fetch(`${info.ipfsUrl}/ipfs/${file.cid}`)).status).toBe(200);
  });

  it.each(['certificate', 'for_authenticity', 'installation'] as const)(
    'has its attached %s published by CID at issuance, and not before',
    async (category) => {
      const { info } = test.sandbox;
      // More than one block, so the CID does not follow from the hash in the metadata.
      const run = randomUUID();
      const bytes = Buffer.alloc(1_500_000, run);
      const image = await issuer.uploadReady(`of-${category}.png`, 'non_attachment_file', 'picture');
      const file = await issuer.uploadReady(`private-${run}.pdf`, category, bytes);
      const read = () => fetch(`${info.ipfsUrl}/ipfs/${file.cid}`);
      expect((await read()).status).toBe(404);

      const attachmentFiles = [{ name: 'paper.pdf', category, url: file.finalUrl }];
      const broken = issuer.entry(image.finalUrl, { attachmentFiles, artistAddress: `0x${'1'.repeat(40)}` });
      expect((await issuer.post('srrs', { payload: [broken] })).status).toBe(400);
      expect((await read()).status).toBe(404);

      const { status } = await issuer.post('srrs', {
        payload: [issuer.entry(image.finalUrl, { attachmentFiles })],
      });
      expect(status).toBe(201);
      const published = await read();
      expect(published.headers.get('content-type')).toBe('application/pdf');
      expect(Buffer.from(await published.arrayBuffer()).equals(bytes)).toBe(true);
      // The object in storage stays in its private bucket.
      expect((await fetch(file.finalUrl)).status).toBe(403);
    },
  );

  it('is transferred to a buyer, and issued into a collection of the issuer', async () => {
    const { info } = test.sandbox;
    const buyer = info.buyers[0]?.address;
    const image = await issuer.uploadReady('buyer.png', 'non_attachment_file', 'another picture');
    const created = await issuer.post('collection', { payload: { name: 'Tides', symbol: 'TIDE' } });
    expect(created).toMatchObject({
      status: 201,
      body: { result: { name: 'Tides', symbol: 'TIDE', status: 'waiting_for_mining' } },
    });
    const { collectionAddress } = created.body.result;
    await expect
      .poll(() => receiver.entries('collection_created').map((entry) => entry.collectionAddress))
      .toContain(collectionAddress);

    const entry = issuer.entry(image.finalUrl, { to: buyer, collectionAddress });
    const { body } = await issuer.post('srrs', { payload: [entry] });
    const { srr } = body.results[0];
    expect(srr.collectionContractAddress).toBe(collectionAddress);
    await outcomeOf(entry.externalId);
    expect(await ownerOf(info, collectionAddress, srr.tokenId)).toBe(buyer?.toLowerCase());

    const record =
      await indexed(`{ srrs(where: { tokenId: "${srr.tokenId}", collection: "${collectionAddress.toLowerCase()}" }) {
      ownerAddress metadataDigest isPrimaryIssuer lockExternalTransfer
      issuer { englishName } artist { englishName } collection { name symbol }
      provenance { from to }
    } }`);
    expect(record).toEqual({
      ownerAddress: buyer?.toLowerCase(),
      metadataDigest: srr.metadataCID,
      isPrimaryIssuer: true,
      lockExternalTransfer: false,
      issuer: { englishName: 'Lantern Hall Gallery' },
      artist: { englishName: 'Mio Asagiri' },
      collection: { name: 'Tides', symbol: 'TIDE' },
      provenance: [{ from: issuer.address.toLowerCase(), to: buyer?.toLowerCase() }],
    });
  });

  it('is one of a batch whose outcomes are reported in groups, with one POST for each', async () => {
    const image = await issuer.uploadReady('batch.png', 'non_attachment_file', 'batch picture');
    const payload = Array.from({ length: 40 }, () => issuer.entry(image.finalUrl));
    const { status, body } = await issuer.post('srrs', { payload });
    expect(status).toBe(201);
    expect(body.results.map((result: { externalId: string }) => result.externalId)).toEqual(
      payload.map((entry) => entry.externalId),
    );
    await outcomeOf(payload.at(-1)?.externalId);
    await expect
      .poll(() => {
        const ids = new Set(payload.map(({ externalId }) => externalId));
        return receiver.entries('issue_complete').filter((entry) => ids.has(entry.externalId)).length;
      })
      .toBe(40);
    const deliveries = receiver.received.filter(({ body: sent }) =>
      sent.data.some((entry) => payload.some(({ externalId }) => externalId === entry.externalId)),
    );
    // The number of blocks depends on the machine, but there must be fewer POSTs than records.
    expect(deliveries.length).toBeLessThan(20);
    const groups = deliveries.map(({ body: sent }) => new Set(sent.data.map((entry) => entry.groupId)));
    expect(groups.map((group) => group.size)).toEqual(deliveries.map(() => 1));
    expect(new Set(groups.flatMap((group) => [...group])).size).toBe(deliveries.length);
  });

  it('that cannot be minted is reported as failed, and its metadata is free again', async () => {
    const externalId = randomUUID();
    const image = await issuer.uploadReady('zero.png', 'non_attachment_file', 'zero picture');
    await fetch(`${test.sandbox.url}/sandbox/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'mining', externalId, failure: 'gasAllowance' }),
    });
    const doomed = issuer.entry(image.finalUrl, { externalId });
    expect((await issuer.post('srrs', { payload: [doomed] })).status).toBe(201);
    expect(await outcomeOf(externalId, 'issue_failed')).toMatchObject({
      message: 'required gas over the allowance',
    });
    const again = { ...doomed, externalId: randomUUID() };
    expect((await issuer.post('srrs', { payload: [again] })).status).toBe(201);
    await outcomeOf(again.externalId);
  });
});

it('a one-block file has the CID that its hash implies', async () => {
  const bytes = 'hello world';
  const { hash, cid, size } = await issuer.uploadReady('block.txt', 'artwork', bytes);
  expect(hash).toBe(`sha256-${createHash('sha256').update(bytes).digest('hex')}`);
  expect(size).toBe(11);
  expect(cid).toBe(`${CID.createV1(raw.code, await sha256.digest(Buffer.from(bytes)))}`);
  expect(cid).toBe('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e');
  const twin = await issuer.uploadReady('twin.txt', 'certificate', bytes);
  expect(twin.cid).toBe(cid);
});
