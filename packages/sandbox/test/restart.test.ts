import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ownerOf, TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../testing/sandbox.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts';

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
afterAll(() => receiver?.stop());

const outcomes = () => receiver.entries('issue_complete').map((entry) => entry.externalId);

describe('a sandbox that is stopped and started', () => {
  let test: TestSandbox;
  beforeAll(async () => {
    test = await startTestSandbox({
      settings: { hashDelayMs: 300, miningIntervalMs: 500 },
      webhooks: [{ url: receiver.url, key: 'k' }],
    });
  });
  afterAll(() => test?.stop());

  it('resumes hashing, minting and webhooks', async () => {
    const issuer = new TestIssuer(test.sandbox.info);
    const earlier = outcomes().length;
    const filename = `${randomUUID()}.png`;
    await issuer.upload(filename, 'non_attachment_file', 'picture');
    await test.restart();
    const ready = await vi.waitUntil(
      async () => {
        const payload = [{ filename, category: 'non_attachment_file' }];
        const { body } = await issuer.post('fileMetadata', { payload });
        return body.results[0].hash !== undefined;
      },
      { timeout: 10_000 },
    );
    expect(ready).toBe(true);
    const { finalUrl } = await issuer.sign(filename, 'non_attachment_file', 'read');
    const collection = await issuer.post('collection', { payload: { name: 'Tides', symbol: 'TIDE' } });
    const payload = Array.from({ length: 30 }, () => issuer.entry(finalUrl));
    const { body } = await issuer.post('srrs', { payload });
    await test.restart();
    await expect
      .poll(() => new Set(outcomes().slice(earlier)), { timeout: 20_000 })
      .toEqual(new Set(payload.map((entry) => entry.externalId)));
    await expect
      .poll(() => receiver.entries('collection_created').map((entry) => entry.collectionAddress))
      .toContain(collection.body.result.collectionAddress);
    const { info } = test.sandbox;
    for (const { srr } of body.results)
      expect(await ownerOf(info, info.registryAddress, srr.tokenId)).toBe(issuer.address.toLowerCase());
  });

  it('mints the records of a collection again, after the collection, when the chain was lost', async () => {
    const issuer = new TestIssuer(test.sandbox.info);
    const { finalUrl } = await issuer.uploadReady('again.png', 'non_attachment_file', 'again');
    // The chain creates 16 at once, so the last of 17 is created one block after the record is tried.
    const addresses: string[] = [];
    for (let n = 0; n < 17; n++) {
      const created = await issuer.post('collection', { payload: { name: `Shoals ${n}`, symbol: 'SHOAL' } });
      addresses.push(created.body.result.collectionAddress);
    }
    const collectionAddress = addresses.at(-1) as string;
    const collections = () =>
      receiver.entries('collection_created').filter((one) => one.collectionAddress === collectionAddress);
    await expect.poll(collections, { timeout: 10_000 }).toHaveLength(1);
    const entry = issuer.entry(finalUrl, { collectionAddress });
    const { body } = await issuer.post('srrs', { payload: [entry] });
    const reported = () => outcomes().filter((id) => id === entry.externalId);
    await expect.poll(reported, { timeout: 10_000 }).toHaveLength(1);
    await test.restart(() => rm(join(test.dataDir, 'chain'), { recursive: true }));
    // A retry mints the records of the first run again too.
    await expect.poll(reported, { timeout: 40_000 }).toHaveLength(2);
    const [{ srr }] = body.results;
    expect(await ownerOf(test.sandbox.info, collectionAddress, srr.tokenId)).toBe(
      issuer.address.toLowerCase(),
    );
  });
});
