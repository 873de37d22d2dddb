import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type IssueBench, startIssueBench } from './issue-bench.ts';

// "A service-provisioned URL" of an attachment: a file that the operator uploaded, not the caller.

let at: IssueBench;
beforeAll(async () => {
  at = await startIssueBench();
});
afterAll(() => at?.stop());

interface Provisioned {
  url: string;
  filename: string;
  issuer: string;
  size: number;
}

async function provision(more: object = {}): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${at.test.sandbox.url}/sandbox/files`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      issuer: at.issuer.address,
      filename: `${randomUUID()}.pdf`,
      category: 'certificate',
      content: Buffer.from('made by the service').toString('base64'),
      ...more,
    }),
  });
  return { status: response.status, body: await response.json() };
}

async function provisioned(more: object = {}): Promise<Provisioned> {
  const { status, body } = await provision(more);
  expect(status, JSON.stringify(body)).toBe(201);
  return body as Provisioned;
}

const known = (filename: string) =>
  vi.waitUntil(
    async () => {
      const { body } = await at.issuer.post('fileMetadata', {
        payload: [{ filename, category: 'certificate' }],
      });
      return body.results[0].hash && (body.results[0] as { hash: string; cid: string; size: number });
    },
    { timeout: 10_000 },
  );

const attached = (url: string, more: object = {}) =>
  at.entry({
    externalId: `of ${url}`,
    attachmentFiles: [{ name: 'paper.pdf', category: 'certificate', url }],
    ...more,
  });

it('is accepted as an attachment, whose hash goes into the metadata and whose bytes are published', async () => {
  const { url, filename, issuer, size } = await provisioned();
  expect({ issuer, size }).toEqual({ issuer: at.issuer.address, size: 19 });
  const { hash, cid } = await known(filename);
  expect(hash).toBe(`sha256-${createHash('sha256').update('made by the service').digest('hex')}`);
  const { status, body } = await at.issuer.post('srrs', { payload: [attached(url)] });
  expect(status, JSON.stringify(body)).toBe(201);
  const metadata = await (await fetch(body.results[0].srr.metadataURL)).json();
  expect(metadata.attachmentFiles).toEqual([{ category: 'certificate', hash }]);
  const published = await fetch(`${at.test.sandbox.info.ipfsUrl}/ipfs/${cid}`);
  expect([published.status, await published.text()]).toEqual([200, 'made by the service']);
});

it('is not a finalUrl, and does not serve the file', async () => {
  const { url, filename } = await provisioned();
  expect(url.startsWith(`${at.test.sandbox.url}/storage/`)).toBe(true);
  expect((await at.issuer.sign(filename, 'certificate', 'read')).finalUrl).not.toBe(url);
  expect((await fetch(url)).status).toBe(403);
});

it('is refused until its hash is calculated', async () => {
  await at.turn({ hashDelayMs: 3_600_000 });
  const { url } = await provisioned();
  const { body } = await at.issuer.post('srrs', { payload: [attached(url)] });
  await at.turn({ hashDelayMs: 0 });
  expect(body).toEqual({
    statusCode: 400,
    message: `Attachment hash not ready for ${url}. Wait until fileMetadata returns it.`,
  });
});

it('is not found by another issuer, under another category, or with an unknown id', async () => {
  const { url, filename } = await provisioned();
  await known(filename);
  const nothing = url.replace(/[^/]+$/, randomUUID());
  const image = (await at.other.uploadReady('theirs.png', 'artwork', 'theirs')).finalUrl;
  const attachmentFiles = [{ name: 'paper.pdf', category: 'installation', url }];
  for (const [issuer, entry, named] of [
    [at.other, attached(url, { metadata: at.other.metadata(image) }), url],
    [at.issuer, attached(url, { attachmentFiles }), url],
    [at.issuer, attached(nothing), nothing],
  ] as const)
    expect((await issuer.post('srrs', { payload: [entry] })).body).toEqual({
      statusCode: 400,
      message: `One or more attachment files were not found in storage. [${entry.externalId}] attachmentFiles.0.url: ${named}`,
    });
});

it('is refused in the metadata, which requires a finalUrl or an ipfs:// URL', async () => {
  const { url } = await provisioned({ category: 'artwork' });
  const { status, body } = await at.issuer.post('srrs', { payload: [at.withMetadata({ image: url })] });
  expect(status).toBe(400);
  expect(body.message).toMatch(/^File URLs must be service storage URLs/);
  expect(body.message).toContain(`image: ${url}`);
});

it('is created only for a new name of a licensed user', async () => {
  const { filename } = await provisioned();
  expect(await provision({ filename })).toEqual({
    status: 400,
    body: { statusCode: 400, message: ['filename: the issuer has a file of this name'] },
  });
  for (const wrong of [
    { issuer: `0x${'1'.repeat(40)}` },
    { category: 'non_attachment_file' },
    { content: 'not base64!' },
    { filename: '' },
  ])
    expect(await provision(wrong)).toMatchObject({ status: 400, body: { statusCode: 400 } });
});

it('has a filename by the rules of an upload', async () => {
  const long = `${randomUUID()}${'é'.repeat(492)}.pdf`;
  expect((await provision({ filename: long })).status).toBe(201);
  for (const [filename, problem] of [
    ['two words.pdf', 'space is not allowed'],
    ['paper', 'extension is missing'],
    [`é${long}`, 'at most 1024 bytes'],
  ] as const)
    expect(await provision({ filename })).toEqual({
      status: 400,
      body: { statusCode: 400, message: [`filename: ${problem}`] },
    });
});
