import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { TestIssuer } from '@srr-gateway/sandbox/testing/issuer';
import { turnSandbox } from '@srr-gateway/sandbox/testing/sandbox';
import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import { sha256 as digest } from 'multiformats/hashes/sha2';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { entry } from './_util/entries.ts';
import { type TestGateway, testToken } from './_util/gateway.ts';
import { GraphQLCaller } from './_util/graphql-caller.ts';
import { finalOutcome, issue } from './_util/issuances.ts';
import { metric } from './_util/metrics.ts';
import type { RecordingProxy } from './_util/recording-proxy.ts';
import { putChunked } from './_util/upload-ways.ts';
import { startWatchedGateway, type WatchedGateway } from './_util/watched-gateway.ts';

let watched: WatchedGateway;
let gateway: TestGateway;
/** Between the gateway and the service, so that calls can be counted. */
let upstream: RecordingProxy;

beforeAll(async () => {
  watched = await startWatchedGateway();
  ({ gateway, service: upstream } = watched);
});
afterAll(() => watched?.stop());
beforeEach(() => upstream.clear());

const fields =
  'id filename category contentType status signedUrl proxyUrl finalUrl downloadUrl size hash cid message';
const create = `mutation ($files: [UploadSpecInput!]!) { createUploads(input: { files: $files }) {
  uploads { id filename category contentType signedUrl proxyUrl finalUrl } userErrors { code message path } } }`;
const show = `query ($files: [FileKeyInput!]!) { uploads(files: $files) { ${fields} } }`;

const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest('hex');
const fresh = (extension: string) => `${randomUUID()}.${extension}`;

async function prepare(...files: object[]) {
  const { createUploads } = await gateway.caller.data(create, { files });
  expect(createUploads.userErrors).toEqual([]);
  return createUploads.uploads;
}

it('refuses a name that stands twice in one call, and prepares neither', async () => {
  const file = { filename: fresh('png'), category: 'NON_ATTACHMENT_FILE' };
  const { createUploads } = await gateway.caller.data(create, { files: [file, file] });
  expect(createUploads).toMatchObject({
    uploads: [],
    userErrors: [{ code: 'FILENAME_TAKEN', path: ['input', 'files', '1', 'filename'] }],
  });
});

async function uploadsOf(...files: { filename: string; category: string }[]) {
  const keys = files.map(({ filename, category }) => ({ filename, category }));
  return (await gateway.caller.data(show, { files: keys })).uploads;
}

async function ready(file: { filename: string; category: string }) {
  await expect.poll(async () => (await uploadsOf(file))[0].status).toBe('READY');
  return (await uploadsOf(file))[0];
}

async function put(url: string, contentType: string, body: string, headers = {}) {
  const response = await fetch(url, {
    method: 'PUT',
    headers: { 'content-type': contentType, ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const throughProxy = (upload: { proxyUrl: string; contentType: string }, body: string) =>
  put(upload.proxyUrl, upload.contentType, body, gateway.caller.headers);

async function multipart(name: string, bytes: string, input: object = {}) {
  const { data } = await gateway.caller.askWithFile(
    `mutation ($input: UploadFileInput!) { uploadFile(input: $input) {
      upload { id filename contentType status finalUrl } userErrors { code message path } } }`,
    { input: { file: null, category: 'ARTWORK', ...input } },
    { path: 'input.file', name, bytes },
  );
  return data.uploadFile;
}

describe('a file ends READY with its hash, cid, size and type', () => {
  const bytes = 'the same bytes by every way';
  const facts = {
    category: 'ARTWORK',
    contentType: 'image/png',
    status: 'READY',
    size: String(bytes.length),
    hash: `sha256-${sha256(bytes)}`,
    message: null,
  };
  const cids: string[] = [];

  it.each([
    [
      'by its signed URL',
      async (filename: string) => {
        const [upload] = await prepare({ filename, category: 'ARTWORK' });
        expect((await put(upload.signedUrl, upload.contentType, bytes)).status).toBe(200);
      },
    ],
    [
      'by proxyUrl',
      async (filename: string) => {
        const [upload] = await prepare({ filename, category: 'ARTWORK' });
        expect(await throughProxy(upload, bytes)).toEqual({
          status: 200,
          body: { stored: { category: 'artwork', filename } },
        });
      },
    ],
    [
      'by a multipart request',
      async (filename: string) => {
        const { upload, userErrors } = await multipart('a name with spaces', bytes, { filename });
        expect(userErrors).toEqual([]);
        expect(upload).toMatchObject({ filename, contentType: 'image/png' });
        expect(['CALCULATING', 'READY']).toContain(upload.status);
      },
    ],
  ])('%s', async (_, send) => {
    const filename = fresh('png');
    await send(filename);
    const upload = await ready({ filename, category: 'ARTWORK' });
    expect(upload).toMatchObject({ ...facts, filename });
    expect(upload.cid).toBe(CID.createV1(raw.code, await digest.digest(Buffer.from(bytes))).toString());
    cids.push(upload.cid);
    expect(await (await fetch(upload.finalUrl)).text()).toBe(bytes);
  });

  it('and equal content has one cid', () => expect(new Set(cids).size).toBe(1));

  it('also when it is empty', async () => {
    const filename = fresh('txt');
    const [upload] = await prepare({ filename, category: 'ARTWORK', sha256: sha256(''), size: '0' });
    expect((await throughProxy(upload, '')).status).toBe(200);
    expect(await ready({ filename, category: 'ARTWORK' })).toMatchObject({
      size: '0',
      hash: `sha256-${sha256('')}`,
      cid: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku',
    });
  });

  it('after the states before it', async () => {
    const file = { filename: fresh('png'), category: 'ARTWORK' };
    await turnSandbox(gateway.sandbox.sandbox, { hashDelayMs: 60_000 });
    try {
      const [upload] = await prepare(file);
      expect(await uploadsOf(file)).toMatchObject([{ status: 'AWAITING_BYTES', hash: null, size: null }]);
      await throughProxy(upload, 'slowly hashed');
      expect(await uploadsOf(file)).toMatchObject([
        { status: 'CALCULATING', hash: null, cid: null, message: 'HASH_STILL_IN_CALCULATION' },
      ]);
    } finally {
      await turnSandbox(gateway.sandbox.sandbox, { hashDelayMs: 0 });
    }
    expect((await ready(file)).hash).toBe(`sha256-${sha256('slowly hashed')}`);
  });
});

describe('uploads(files)', () => {
  it('shows files by name, in the order asked, also ones that came by another way', async () => {
    const mine = { filename: fresh('pdf'), category: 'CERTIFICATE' };
    const [upload] = await prepare(mine);
    await throughProxy(upload, 'mine');
    const theirs = { filename: fresh('txt'), category: 'INSTALLATION' };
    await new TestIssuer(gateway.info).upload(theirs.filename, 'installation', 'past the gateway');
    const never = { filename: fresh('png'), category: 'ARTWORK' };
    await ready(mine);
    await ready(theirs);
    expect(await uploadsOf(theirs, never, mine)).toMatchObject([
      { ...theirs, status: 'READY', contentType: 'text/plain', size: '16' },
      { ...never, status: 'AWAITING_BYTES' },
      { ...mine, status: 'READY', contentType: 'application/pdf', id: upload.id, size: '4' },
    ]);
    const { node } = await gateway.caller.data(
      'query ($id: ID!) { node(id: $id) { ... on Upload { filename status } } }',
      { id: upload.id },
    );
    expect(node).toEqual({ filename: mine.filename, status: 'READY' });
  });

  it('signs again, with a signature that works when the first has expired', async () => {
    const file = { filename: fresh('png'), category: 'ARTWORK' };
    const [{ signedUrl, contentType }] = await prepare(file);
    await turnSandbox(gateway.sandbox.sandbox, { clockOffsetMs: 16 * 60_000 });
    try {
      expect((await put(signedUrl, contentType, 'late')).status).toBe(403);
      const [again] = await uploadsOf(file);
      expect(again.signedUrl).not.toBe(signedUrl);
      expect((await put(again.signedUrl, contentType, 'late')).status).toBe(200);
    } finally {
      await turnSandbox(gateway.sandbox.sandbox, { clockOffsetMs: 0 });
    }
  });

  it('opens a private file by downloadUrl, a plain link, and nothing else does', async () => {
    const file = { filename: fresh('pdf'), category: 'FOR_AUTHENTICITY' };
    const [upload] = await prepare(file);
    await throughProxy(upload, 'evidence');
    const { downloadUrl, finalUrl, signedUrl } = await ready(file);
    expect(downloadUrl.startsWith(`${upload.proxyUrl}?signature=`)).toBe(true);
    const get = async (url: string, headers = {}) => {
      const response = await fetch(url, { headers });
      return [response.status, response.ok ? await response.text() : ''];
    };
    expect(await get(downloadUrl)).toEqual([200, 'evidence']);
    expect(await get(finalUrl)).toEqual([403, '']);
    expect(await get(finalUrl, gateway.caller.headers)).toEqual([403, '']);
    expect(await get(signedUrl)).toEqual([403, '']);
    expect(await get(upload.proxyUrl)).toEqual([401, '']);
    expect(await get(upload.proxyUrl, gateway.caller.headers)).toEqual([200, 'evidence']);
    // Another issuer has no such file.
    const stranger = { authorization: 'Bearer test-token-all-scopes-1' };
    expect(await get(upload.proxyUrl, stranger)).toEqual([404, '']);
    const [other] = await uploadsOf({ ...file, filename: fresh('pdf') });
    expect(await get(upload.proxyUrl + new URL(other.downloadUrl).search)).toEqual([403, '']);
    expect(await get(downloadUrl.slice(0, -1))).toEqual([403, '']);
    // The file is not there yet.
    expect(await get(other.downloadUrl)).toEqual([404, '']);
    expect((await fetch(downloadUrl, { method: 'PUT', body: 'x' })).status).toBe(401);
  });

  it('opens no link that is older than fifteen minutes', async () => {
    const file = { filename: fresh('pdf'), category: 'CERTIFICATE' };
    const [upload] = await prepare(file);
    await throughProxy(upload, 'old');
    const { downloadUrl } = await ready(file);
    vi.setSystemTime(Date.now() + 16 * 60_000);
    try {
      const response = await fetch(downloadUrl);
      expect(response.status).toBe(403);
      expect(await response.json()).toEqual({
        error: { code: 'FORBIDDEN', message: expect.stringContaining('expired') },
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ['a part of a file', { 'content-range': 'bytes 4-9/10' }, 400],
    ['a file in another form', { 'content-encoding': 'gzip' }, 415],
  ])('stores nothing of %s, for which the name would be lost', async (_, headers, status) => {
    const file = { filename: fresh('txt'), category: 'INSTALLATION' };
    const [upload] = await prepare(file);
    const wrong = { ...gateway.caller.headers, ...headers };
    const refused = await put(upload.proxyUrl, upload.contentType, '456789', wrong);
    expect(refused).toMatchObject({ status, body: { error: { code: 'INVALID_INPUT' } } });
    await throughProxy(upload, '0123456789');
    expect((await ready(file)).size).toBe('10');
  });

  it('reads a range of a file, and its headers alone', async () => {
    const file = { filename: fresh('txt'), category: 'INSTALLATION' };
    const [upload] = await prepare(file);
    await throughProxy(upload, '0123456789'.repeat(500));
    const { downloadUrl } = await ready(file);
    const part = await fetch(downloadUrl, {
      headers: { range: 'bytes=4990-', 'accept-encoding': 'gzip, br' },
    });
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([
      206,
      '0123456789',
      'bytes 4990-4999/5000',
    ]);
    const beyond = await fetch(downloadUrl, { headers: { range: 'bytes=5000-' } });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */5000']);
    const head = await fetch(downloadUrl, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '5000', '']);
    const whole = await fetch(downloadUrl, { headers: { 'accept-encoding': 'gzip, br' } });
    expect([(await whole.text()).length, whole.headers.get('content-encoding')]).toEqual([5_000, null]);
    // On with a range of the same content only.
    const changed = await fetch(downloadUrl, {
      headers: { range: 'bytes=0-9', 'if-range': part.headers.get('etag') as string },
    });
    expect(changed.status).toBe(206);
    await changed.arrayBuffer();
    const headOfPart = await fetch(downloadUrl, { method: 'HEAD', headers: { range: 'bytes=0-9' } });
    expect([headOfPart.status, headOfPart.headers.get('content-length')]).toEqual([200, '5000']);
  });

  it.each([
    ['page.html', 'attachment'],
    ['drawing.svg', 'attachment'],
    ['paper.pdf', 'attachment'],
    ['photo.jpg', 'inline'],
    ['é\'(*)"ö.png', 'inline'],
  ])('never runs a file in the gateway’s origin: %s', async (name, shown) => {
    const file = { filename: `${randomUUID()}-${name}`, category: 'CERTIFICATE' };
    const [upload] = await prepare(file);
    await throughProxy(upload, '<script>alert(1)</script>');
    const response = await fetch((await ready(file)).downloadUrl);
    await response.arrayBuffer();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/default-src 'none'; .*sandbox$/),
      'cache-control': expect.stringMatching(/^private, no-store/),
      'referrer-policy': 'no-referrer',
    });
    const disposition = response.headers.get('content-disposition') ?? '';
    const [, how, plain = '', encoded = ''] =
      /^(\w+); filename="([\w.-]+)"; filename\*=UTF-8''([\w.%!~-]+)$/.exec(disposition) ?? [];
    expect([how, decodeURIComponent(encoded), plain.length]).toEqual([
      shown,
      file.filename,
      file.filename.length,
    ]);
  });

  it('and node(id) show an issuer nothing of another one', async () => {
    const file = { filename: fresh('pdf'), category: 'CERTIFICATE' };
    const [upload] = await prepare(file);
    await throughProxy(upload, 'mine alone');
    await ready(file);
    const ask = async (headers: Record<string, string>) => {
      const stranger = Object.assign(Object.create(gateway.caller), { headers });
      const answer = await stranger.ask('query ($id: ID!) { node(id: $id) { id } }', { id: upload.id });
      return answer.data?.node ?? null;
    };
    expect(await ask({ authorization: 'Bearer test-token-all-scopes-1' })).toBeNull();
    expect(await ask({})).toBeNull();
    expect(await ask(gateway.caller.headers)).toEqual({ id: upload.id });
  });

  it('finds no node under an id that no upload can have', async () => {
    const issuer = gateway.issuer.address;
    for (const rest of ['nonsense/a.png', 'artwork/no-extension', 'artwork/a b.png', 'artwork']) {
      const id = Buffer.from(`Upload:${issuer}/${rest}`).toString('base64');
      const answer = await gateway.caller.ask('query ($id: ID!) { node(id: $id) { id } }', { id });
      expect([rest, answer.errors, answer.data]).toEqual([rest, undefined, { node: null }]);
    }
  });
});

describe('content that was announced', () => {
  const wrong = { code: 'CONTENT_MISMATCH', message: expect.stringMatching(/^Nothing was stored: /) };
  const refused = async () => {
    const count = (reason: string) => metric(gateway.app.url, 'srr_upload_mismatches_total', { reason });
    return { hash: await count('hash'), size: await count('size') };
  };

  it.each([
    // Each announces content of its own: what the issuer has already would be reused.
    ['other bytes of the same length', 'wrong 1', 'right 1', true, 'hash'],
    ['more bytes', 'right 2 and more', 'right 2', true, 'size'],
    ['fewer bytes', 'rig', 'right 3', true, 'size'],
    ['other bytes, of no announced size', 'wrong bytes', 'right 4', false, 'hash'],
  ] as const)(
    'is refused by the proxy when it is another, and counted: %s',
    async (_, sent, announced, withSize, reason) => {
      const file = { filename: fresh('txt'), category: 'ARTWORK' };
      const spec = {
        ...file,
        sha256: sha256(announced),
        ...(withSize && { size: String(announced.length) }),
      };
      const [upload] = await prepare(spec);
      const before = await refused();
      expect(await throughProxy(upload, sent)).toMatchObject({ status: 400, body: { error: wrong } });
      expect(await uploadsOf(file)).toMatchObject([{ status: 'AWAITING_BYTES' }]);
      // Nothing was stored: the name is free for the right bytes.
      expect((await throughProxy(upload, announced)).status).toBe(200);
      expect(await refused()).toEqual({ ...before, [reason]: before[reason] + 1 });
      expect((await ready(file)).hash).toBe(`sha256-${sha256(announced)}`);
    },
  );

  it.each([
    [
      'megabytes with a wrong end',
      `${'x'.repeat(2_999_999)}y`,
      { sha256: sha256('x'.repeat(3_000_000)) },
      'x'.repeat(3_000_000),
      'hash',
    ],
    ['a few wrong bytes', 'y', { sha256: sha256('x') }, 'x', 'hash'],
    ['more bytes than its size', 'z'.repeat(300_001), { size: '300000' }, 'z'.repeat(300_000), 'size'],
    ['fewer bytes than its size', 'z'.repeat(299_999), { size: '300000' }, 'z'.repeat(300_000), 'size'],
  ] as const)(
    'is refused by the proxy when it streams without a length: %s',
    async (_, sent, announced, right, reason) => {
      const file = { filename: fresh('bin'), category: 'ARTWORK' };
      const [upload] = await prepare({ ...file, ...announced });
      const before = await refused();
      const answer = await putChunked(gateway.caller, upload, sent);
      expect(answer).toMatchObject({ status: 400, body: { error: wrong } });
      expect(await uploadsOf(file)).toMatchObject([{ status: 'AWAITING_BYTES' }]);
      expect((await putChunked(gateway.caller, upload, right)).status).toBe(200);
      expect(await refused()).toEqual({ ...before, [reason]: before[reason] + 1 });
    },
  );

  it('ends an issuance in REJECTED when another was put straight to storage', async () => {
    const file = { filename: fresh('png'), category: 'NON_ATTACHMENT_FILE' };
    const [upload] = await prepare({ ...file, sha256: sha256('announced') });
    expect((await put(upload.signedUrl, upload.contentType, 'something else')).status).toBe(200);
    const { issueSRRs } = await gateway.caller.data(
      `mutation ($input: IssueSRRsInput!) { issueSRRs(input: $input) { issuance { id } userErrors { code } } }`,
      { input: { entries: [entry(gateway.info, randomUUID(), { upload: upload.id })] } },
    );
    expect(issueSRRs.userErrors).toEqual([]);
    const state = async () =>
      (
        await gateway.caller.data(
          'query ($id: ID!) { issuance(id: $id) { status error { code message } } }',
          issueSRRs.issuance,
        )
      ).issuance;
    await expect.poll(async () => (await state()).status).toBe('REJECTED');
    expect((await state()).error).toEqual({
      code: 'CONTENT_MISMATCH',
      message: expect.stringMatching(
        new RegExp(`${file.filename} is not what was announced .*Upload it again under a new name`),
      ),
    });
    expect(upstream.counts().srrs).toBeUndefined();
  });

  it('is reused when the issuer has it, without a call to the service', async () => {
    const bytes = `known ${randomUUID()}`;
    const first = { filename: fresh('txt'), category: 'CERTIFICATE' };
    const [upload] = await prepare(first);
    await throughProxy(upload, bytes);
    const known = await ready(first);
    upstream.clear();
    const again = { filename: fresh('txt'), category: 'CERTIFICATE', sha256: sha256(bytes).toUpperCase() };
    const { createUploads } = await gateway.caller.data(
      `mutation ($files: [UploadSpecInput!]!) { createUploads(input: { files: $files }) {
        uploads { id filename finalUrl } userErrors { code } } }`,
      { files: [again] },
    );
    expect(createUploads).toEqual({
      uploads: [{ id: upload.id, filename: first.filename, finalUrl: known.finalUrl }],
      userErrors: [],
    });
    expect(upstream.counts()).toEqual({});
    // Its category decides who may read it: the same bytes for another purpose are another file.
    const [open] = await prepare({ ...again, category: 'ARTWORK' });
    expect(open.filename).toBe(again.filename);
  });

  it('is not reused from a file that was announced with something else, which no issuance takes', async () => {
    const bytes = `put by mistake ${randomUUID()}`;
    const mistaken = { filename: fresh('png'), category: 'NON_ATTACHMENT_FILE' };
    const [first] = await prepare({ ...mistaken, sha256: sha256('announced') });
    expect((await put(first.signedUrl, first.contentType, bytes)).status).toBe(200);
    await ready(mistaken);
    const again = { filename: fresh('png'), category: 'NON_ATTACHMENT_FILE', sha256: sha256(bytes) };
    const [upload] = await prepare(again);
    expect(upload.filename).toBe(again.filename);
    expect((await throughProxy(upload, bytes)).status).toBe(200);
    const id = await issue(gateway.caller, {
      entries: [entry(gateway.info, randomUUID(), { upload: upload.id })],
    });
    expect(await finalOutcome(gateway.caller, id)).toMatchObject({ status: 'COMPLETED' });
    // Both files have the content now, and the one that can be issued is found.
    expect(await prepare({ ...again, filename: fresh('png') })).toMatchObject([{ id: upload.id }]);
  });

  it('does not make an issuance fail whose file was announced before, with other content', async () => {
    const file = { filename: fresh('png'), category: 'NON_ATTACHMENT_FILE' };
    const [upload] = await prepare({ ...file, sha256: sha256('first') });
    await throughProxy(upload, 'first');
    const { createUploads } = await gateway.caller.data(create, {
      files: [{ ...file, sha256: sha256('second') }],
    });
    expect(createUploads.userErrors).toMatchObject([{ code: 'FILENAME_TAKEN' }]);
    const id = await issue(gateway.caller, {
      entries: [entry(gateway.info, randomUUID(), { upload: upload.id })],
    });
    expect(await finalOutcome(gateway.caller, id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('does not spoil a stored file when its name is announced for something else', async () => {
    const file = { filename: fresh('png'), category: 'NON_ATTACHMENT_FILE' };
    const [upload] = await prepare({ ...file, sha256: sha256('good') });
    await throughProxy(upload, 'good');
    await ready(file);
    const { createUploads } = await gateway.caller.data(create, {
      files: [
        { filename: fresh('png'), category: 'ARTWORK' },
        { ...file, sha256: sha256('bad') },
      ],
    });
    expect(createUploads).toEqual({
      uploads: [],
      userErrors: [
        {
          code: 'FILENAME_TAKEN',
          message: expect.stringMatching(/Choose another filename/),
          path: ['input', 'files', '1', 'filename'],
        },
      ],
    });
    expect(await prepare({ ...file, sha256: sha256('good') })).toMatchObject([{ id: upload.id }]);
  });
});

describe('calls to the service', () => {
  const many = () => Array.from({ length: 40 }, () => ({ filename: fresh('png'), category: 'ARTWORK' }));

  it('are one signedUrls for all files of createUploads', async () => {
    const files = many();
    expect(await prepare(...files)).toHaveLength(40);
    expect(upstream.counts()).toEqual({ signedUrls: 1 });
    expect(upstream.calls[0]?.body.payload).toHaveLength(40);
  });

  it('are one fileMetadata for the statuses of all files', async () => {
    const files = many();
    const partner = new TestIssuer(gateway.info);
    await Promise.all(files.map(({ filename }) => partner.upload(filename, 'artwork', filename)));
    const ask = (selection: string) =>
      gateway.caller.data(`query ($files: [FileKeyInput!]!) { uploads(files: $files) { ${selection} } }`, {
        files,
      });
    await ask('status size hash cid message');
    // One to know the files by name, one for everything that changes.
    expect(upstream.counts()).toEqual({ signedUrls: 1, fileMetadata: 1 });
    upstream.clear();
    await ask('filename contentType finalUrl downloadUrl');
    expect(upstream.counts()).toEqual({ signedUrls: 1 });
    upstream.clear();
    await ask(fields);
    expect(upstream.counts()).toEqual({ signedUrls: 2, fileMetadata: 1 });
  });

  it('are one signedUrls for a multipart file and one for a proxied one', async () => {
    const { upload } = await multipart(fresh('png'), 'counted');
    expect(upload.filename).toMatch(/png$/);
    expect(upstream.counts()).toEqual({ signedUrls: 1, fileMetadata: 1 });
    const [proxied] = await prepare({ filename: fresh('png'), category: 'ARTWORK' });
    upstream.clear();
    await throughProxy(proxied, 'counted too');
    expect(upstream.counts()).toEqual({ signedUrls: 1 });
  });

  it('of thousands of files work as well', async () => {
    const files = Array.from({ length: 10_000 }, (_, i) => ({
      filename: `${randomUUID()}-${i}.png`,
      category: 'ARTWORK',
    }));
    const { createUploads } = await gateway.caller.data(
      `mutation ($files: [UploadSpecInput!]!) { createUploads(input: { files: $files }) {
        uploads { filename } userErrors { code message } } }`,
      { files },
    );
    expect(createUploads.userErrors).toEqual([]);
    expect(createUploads.uploads.map(({ filename }: { filename: string }) => filename)).toEqual(
      files.map(({ filename }) => filename),
    );
    expect(upstream.counts()).toEqual({ signedUrls: 1 });
  });
});

it('a mutation whose body was refused as too slow does nothing when the rest of it comes', async () => {
  const spec = () => ({ filename: fresh('png'), category: 'ARTWORK' });
  // A short body is read before the GraphQL server sees it.
  const body = `${' '.repeat(30_000)}${JSON.stringify({ query: create, variables: { files: [spec()] } })}`;
  const waitMs = 30_000 + Math.ceil(body.length / 50);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const { hostname, port } = new URL(gateway.app.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  const own = { host: 'x', 'content-type': 'application/json', 'content-length': String(body.length) };
  const head = Object.entries({ ...gateway.caller.headers, ...own }).map((one) => one.join(': '));
  socket.write(`POST /graphql HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`);
  const timer = () => timers.mock.calls.find(([, ms]) => ms === waitMs);
  await expect.poll(timer).toBeDefined();
  timer()?.[0]();
  timers.mockRestore();
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 408 /);
  socket.write(body.slice(-1));
  await once(socket, 'close');
  await prepare(spec());
  expect(upstream.counts()).toEqual({ signedUrls: 1 });
});

describe('an answer with a signed URL', () => {
  const files = Array.from({ length: 10 }, () => ({ filename: fresh('png'), category: 'ARTWORK' }));
  const long = (field: string) =>
    `query ($files: [FileKeyInput!]!) { uploads(files: $files) { id ${field} } }`;
  const ask = (query: string, variables: object = { files }, accept = '*/*') =>
    fetch(`${gateway.app.url}/graphql`, {
      method: 'POST',
      headers: {
        ...gateway.caller.headers,
        'content-type': 'application/json',
        'accept-encoding': 'gzip',
        accept,
      },
      body: JSON.stringify({ query, variables }),
    });

  // From the lengths of compressed answers the URL could be guessed.
  it.each([
    ['finalUrl', 'gzip'],
    ['signedUrl', null],
    ['downloadUrl', null],
  ])('is never compressed: %s', async (field, coding) => {
    await prepare(...files);
    const answer = await ask(long(field));
    expect(answer.headers.get('content-encoding')).toBe(coding);
    expect(answer.headers.get('cache-control')?.includes('no-transform')).toBe(coding === null);
    const { data } = (await answer.json()) as { data: { uploads: Record<string, string>[] } };
    expect(data.uploads.every((upload) => upload[field]?.startsWith('http'))).toBe(true);
  });

  it('is neither kept nor compressed by a proxy as an event stream', async () => {
    const { headers } = await ask(long('signedUrl'), { files }, 'text/event-stream');
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(headers.get('cache-control')).toBe('private, no-store, no-transform');
    expect(headers.get('vary')).toContain('authorization');
  });

  it('is never compressed, whatever it is found by', async () => {
    const [{ id }] = await prepare(...files);
    const urls = Array.from({ length: 10 }, (_, n) => `u${n}: signedUrl`).join(' ');
    const answer = await ask(`query ($id: ID!) { node(id: $id) { ... on Upload { ${urls} } } }`, { id });
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(Object.keys(((await answer.json()) as { data: { node: object } }).data.node)).toHaveLength(10);
  });
});

describe('the list of one’s own uploads', () => {
  const list = `query ($first: Int, $after: String) { myUploads(first: $first, after: $after) {
    pageInfo { hasNextPage endCursor } edges { node { filename category status } }
  } }`;

  it('has them newest first, page by page, and asks for their states in one call', async () => {
    const names = Array.from({ length: 7 }, () => fresh('png'));
    for (const filename of names) await prepare({ filename, category: 'ARTWORK' });
    upstream.clear();
    const seen: string[] = [];
    let after: string | null = null;
    // Others come before them: tests of this file have made thousands.
    for (let page = 1; page <= 3; page++) {
      const { myUploads } = await gateway.caller.data(list, { first: 3, after });
      seen.push(...myUploads.edges.map(({ node }: { node: { filename: string } }) => node.filename));
      after = myUploads.pageInfo.endCursor;
      expect(upstream.calls).toHaveLength(page);
    }
    expect(seen.slice(0, 7)).toEqual(names.toReversed());
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('has only those of its caller', async () => {
    const filename = fresh('png');
    await prepare({ filename, category: 'ARTWORK' });
    const own = await gateway.caller.ask(list, { first: 5 });
    expect(JSON.stringify(own.data)).toContain(filename);
    const other = new GraphQLCaller(gateway.app.url, { authorization: `Bearer ${testToken}-1` });
    expect(JSON.stringify(await other.data(list, { first: 100 }))).not.toContain(filename);
  });

  it('refuses a cursor that is none', async () => {
    const foreign = Buffer.from(JSON.stringify(['upload', 'yesterday', 'artwork', 'a.png']));
    for (const after of ['x', foreign.toString('base64url')])
      expect((await gateway.caller.ask(list, { after })).errors).toMatchObject([
        { path: ['myUploads'], extensions: { code: 'INVALID_INPUT', inputPath: ['after'] } },
      ]);
  });
});
