import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { TestIssuer } from '@srr-gateway/sandbox/testing/issuer';
import { turnSandbox } from '@srr-gateway/sandbox/testing/sandbox';
import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import { sha256 as digest } from 'multiformats/hashes/sha2';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { entry } from '../_util/entries.ts';
import { type TestGateway, testToken } from '../_util/gateway.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { finalOutcome, issue } from '../_util/issuances.ts';
import { metric } from '../_util/metrics.ts';
import { type RecordedGateway, startRecordedGateway } from '../_util/recorded-gateway.ts';
import type { RecordingProxy } from '../_util/recording-proxy.ts';
import { putChunked } from '../_util/upload-calls.ts';

let recorded: RecordedGateway;
let gateway: TestGateway;
/** A proxy between the gateway and the service that counts the calls. */
let upstream: RecordingProxy;

beforeAll(async () => {
  recorded = await startRecordedGateway();
  ({ gateway, service: upstream } = recorded);
});
afterAll(() => recorded?.stop());
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

it('createUploads refuses a call with the same name twice, and prepares no upload', async () => {
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

describe('an uploaded file becomes READY with its hash, CID, size and type', () => {
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

  it('and equal content has the same CID', () => expect(new Set(cids).size).toBe(1));

  /** Each run takes a category without an empty file, because content that the issuer has would be reused. */
  const categories = ['ARTWORK', 'INSTALLATION'];

  it('when it is empty', async () => {
    const file = { filename: fresh('txt'), category: categories.shift() ?? '' };
    const [upload] = await prepare({ ...file, sha256: sha256(''), size: '0' });
    expect((await throughProxy(upload, '')).status).toBe(200);
    expect(await ready(file)).toMatchObject({
      size: '0',
      hash: `sha256-${sha256('')}`,
      cid: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku',
    });
  });

  it('after AWAITING_BYTES and CALCULATING', async () => {
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
  it('returns files by name in the order of the query, including files uploaded past the gateway', async () => {
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

  it.each([
    ['signedUrls', 'signedUrl'],
    ['fileMetadata', 'status'],
  ])('names the file that the service refuses in %s', async (call, field) => {
    const text = JSON.stringify({ statusCode: 400, message: ['payload.1.filename is too long'] });
    upstream.answerInstead = (one) => (one.call === call ? { status: 400, text } : undefined);
    onTestFinished(() => {
      upstream.answerInstead = undefined;
    });
    const files = [fresh('png'), fresh('png')].map((filename) => ({ filename, category: 'ARTWORK' }));
    const query = `query ($files: [FileKeyInput!]!) { uploads(files: $files) { ${field} } }`;
    const { errors } = await gateway.caller.ask(query, { files });
    expect(errors?.[0]?.message).toMatch(new RegExp(`^artwork/${files[1]?.filename}: `));
  });

  it('returns a new signed URL that works after the first has expired', async () => {
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

  it('returns a downloadUrl, which alone opens a private file without credentials', async () => {
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
    // Another issuer does not have this file.
    const stranger = { authorization: 'Bearer test-token-all-scopes-1' };
    expect(await get(upload.proxyUrl, stranger)).toEqual([404, '']);
    const [other] = await uploadsOf({ ...file, filename: fresh('pdf') });
    expect(await get(upload.proxyUrl + new URL(other.downloadUrl).search)).toEqual([403, '']);
    expect(await get(downloadUrl.slice(0, -1))).toEqual([403, '']);
    // This file is not uploaded yet.
    expect(await get(other.downloadUrl)).toEqual([404, '']);
    expect((await fetch(downloadUrl, { method: 'PUT', body: 'x' })).status).toBe(401);
  });

  it('returns a downloadUrl that expires after fifteen minutes', async () => {
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
    ['a partial file', { 'content-range': 'bytes 4-9/10' }, 400],
    ['a compressed file', { 'content-encoding': 'gzip' }, 415],
  ])('has a proxyUrl that refuses %s, which would use up the name', async (_, headers, status) => {
    const file = { filename: fresh('txt'), category: 'INSTALLATION' };
    const [upload] = await prepare(file);
    const wrong = { ...gateway.caller.headers, ...headers };
    const refused = await put(upload.proxyUrl, upload.contentType, '456789', wrong);
    expect(refused).toMatchObject({ status, body: { error: { code: 'INVALID_INPUT' } } });
    await throughProxy(upload, '0123456789');
    expect((await ready(file)).size).toBe('10');
  });

  it('returns a downloadUrl that supports ranges and HEAD', async () => {
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
    // If-Range continues only with the same content.
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
  ])(
    'returns a downloadUrl whose files cannot run scripts in the gateway’s origin: %s',
    async (name, disposition) => {
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
      const header = response.headers.get('content-disposition') ?? '';
      const [, how, plain = '', encoded = ''] =
        /^(\w+); filename="([\w.-]+)"; filename\*=UTF-8''([\w.%!~-]+)$/.exec(header) ?? [];
      expect([how, decodeURIComponent(encoded), plain.length]).toEqual([
        disposition,
        file.filename,
        file.filename.length,
      ]);
    },
  );

  it('and node(id) show no files of another issuer', async () => {
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

  it('and node(id) return null for an id that no upload can have', async () => {
    const issuer = gateway.issuer.address;
    for (const rest of ['nonsense/a.png', 'artwork/no-extension', 'artwork/a b.png', 'artwork']) {
      const id = Buffer.from(`Upload:${issuer}/${rest}`).toString('base64');
      const answer = await gateway.caller.ask('query ($id: ID!) { node(id: $id) { id } }', { id });
      expect([rest, answer.errors, answer.data]).toEqual([rest, undefined, { node: null }]);
    }
  });
});

describe('announced content', () => {
  const wrong = { code: 'CONTENT_MISMATCH', message: expect.stringMatching(/^Nothing was stored: /) };
  const refused = async () => {
    const count = (reason: string) => metric(gateway.app.url, 'srr_upload_mismatches_total', { reason });
    return { hash: await count('hash'), size: await count('size') };
  };

  it.each([
    ['other bytes of the same length', 'wrong', 'right', true, 'hash'],
    ['more bytes', 'right and more', 'right', true, 'size'],
    ['fewer bytes', 'rig', 'right', true, 'size'],
    ['other bytes without an announced size', 'wrong bytes', 'right', false, 'hash'],
  ] as const)(
    'must match what is sent through proxyUrl, or is refused and counted: %s',
    async (_, sentEnd, announcedEnd, withSize, reason) => {
      // Each run announces other content, because content that the issuer has would be reused.
      const unique = randomUUID();
      const [sent, announced] = [`${unique} ${sentEnd}`, `${unique} ${announcedEnd}`];
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
      // Nothing was stored, so the name is still free for the right bytes.
      expect((await throughProxy(upload, announced)).status).toBe(200);
      expect(await refused()).toEqual({ ...before, [reason]: before[reason] + 1 });
      expect((await ready(file)).hash).toBe(`sha256-${sha256(announced)}`);
    },
  );

  it.each([
    [
      'megabytes with a wrong last byte',
      `${'x'.repeat(2_999_999)}y`,
      { sha256: sha256('x'.repeat(3_000_000)) },
      'x'.repeat(3_000_000),
      'hash',
    ],
    ['a few wrong bytes', 'y', { sha256: sha256('x') }, 'x', 'hash'],
    ['more bytes than its size', 'z'.repeat(300_001), { size: '300000' }, 'z'.repeat(300_000), 'size'],
    ['fewer bytes than its size', 'z'.repeat(299_999), { size: '300000' }, 'z'.repeat(300_000), 'size'],
  ] as const)(
    'must match what is streamed without Content-Length through proxyUrl: %s',
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

  it('rejects an issuance when other content was sent directly to the storage', async () => {
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

  it('is reused without a call to the service when the issuer has it already', async () => {
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
    // The category decides who may read a file, so the same bytes in another category are another file.
    const [open] = await prepare({ ...again, category: 'ARTWORK' });
    expect(open.filename).toBe(again.filename);
  });

  it('is not reused from a file that was announced with other content, and so cannot be issued', async () => {
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
    // Both files have this content now, and the one that can be issued is reused.
    expect(await prepare({ ...again, filename: fresh('png') })).toMatchObject([{ id: upload.id }]);
  });

  it('does not affect an issuance whose file was announced with other content before', async () => {
    const file = { filename: fresh('png'), category: 'NON_ATTACHMENT_FILE' };
    // A retry finds the content of the first run.
    const bytes = randomUUID();
    const [upload] = await prepare({ ...file, sha256: sha256(bytes) });
    await throughProxy(upload, bytes);
    const { createUploads } = await gateway.caller.data(create, {
      files: [{ ...file, sha256: sha256('second') }],
    });
    expect(createUploads.userErrors).toMatchObject([{ code: 'FILENAME_TAKEN' }]);
    const id = await issue(gateway.caller, {
      entries: [entry(gateway.info, randomUUID(), { upload: upload.id })],
    });
    expect(await finalOutcome(gateway.caller, id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('is refused for the name of a stored file with other content', async () => {
    const file = { filename: fresh('png'), category: 'NON_ATTACHMENT_FILE' };
    // A retry finds the content of the first run.
    const good = randomUUID();
    const [upload] = await prepare({ ...file, sha256: sha256(good) });
    await throughProxy(upload, good);
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
    expect(await prepare({ ...file, sha256: sha256(good) })).toMatchObject([{ id: upload.id }]);
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
    // One call for the constant fields, one for the status.
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

  it('are one signedUrls for 10,000 files too', async () => {
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

it('a mutation whose slow body was refused with 408 has no effect when the rest of the body arrives', async () => {
  const spec = () => ({ filename: fresh('png'), category: 'ARTWORK' });
  // Long, because a short body is read before the GraphQL server gets the request.
  const body = `${' '.repeat(30_000)}${JSON.stringify({ query: create, variables: { files: [spec()] } })}`;
  const waitMs = 30_000 + Math.ceil(body.length / 50);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const { hostname, port } = new URL(gateway.app.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  const own = { host: 'x', 'content-type': 'application/json', 'content-length': String(body.length) };
  const head = Object.entries({ ...gateway.caller.headers, ...own }).map((one) => one.join(': '));
  socket.write(`POST /graphql HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`);
  const timer = () => timers.mock.calls.find(([, ms]) => ms === waitMs);
  await expect.poll(timer).toBeDefined();
  timer()?.[0]();
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 408 /);
  socket.write(body.slice(-1));
  await once(socket, 'close');
  await prepare(spec());
  expect(upstream.counts()).toEqual({ signedUrls: 1 });
});

describe('a response with a signed URL', () => {
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

  // The URL could be guessed from the lengths of compressed responses.
  it.each([
    ['finalUrl', 'gzip'],
    ['signedUrl', null],
    ['downloadUrl', null],
  ])('is not compressed, unlike one with finalUrl: %s', async (field, coding) => {
    await prepare(...files);
    const answer = await ask(long(field));
    expect(answer.headers.get('content-encoding')).toBe(coding);
    expect(answer.headers.get('cache-control')?.includes('no-transform')).toBe(coding === null);
    const { data } = (await answer.json()) as { data: { uploads: Record<string, string>[] } };
    expect(data.uploads.every((upload) => upload[field]?.startsWith('http'))).toBe(true);
  });

  it('forbids storage and compression by proxies as an event stream too', async () => {
    const { headers } = await ask(long('signedUrl'), { files }, 'text/event-stream');
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(headers.get('cache-control')).toBe('private, no-store, no-transform');
    expect(headers.get('vary')).toContain('authorization');
  });

  it('is not compressed when it is read through node(id)', async () => {
    const [{ id }] = await prepare(...files);
    const urls = Array.from({ length: 10 }, (_, n) => `u${n}: signedUrl`).join(' ');
    const answer = await ask(`query ($id: ID!) { node(id: $id) { ... on Upload { ${urls} } } }`, { id });
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(Object.keys(((await answer.json()) as { data: { node: object } }).data.node)).toHaveLength(10);
  });
});

describe('myUploads', () => {
  const list = `query ($first: Int, $after: String) { myUploads(first: $first, after: $after) {
    pageInfo { hasNextPage endCursor } edges { node { filename category status } }
  } }`;

  it('lists the newest first, page by page, and reads their statuses in one call', async () => {
    const names = Array.from({ length: 7 }, () => fresh('png'));
    for (const filename of names) await prepare({ filename, category: 'ARTWORK' });
    upstream.clear();
    const seen: string[] = [];
    let after: string | null = null;
    // Three pages of the thousands of uploads that the tests of this file have made.
    for (let page = 1; page <= 3; page++) {
      const { myUploads } = await gateway.caller.data(list, { first: 3, after });
      seen.push(...myUploads.edges.map(({ node }: { node: { filename: string } }) => node.filename));
      after = myUploads.pageInfo.endCursor;
      expect(upstream.calls).toHaveLength(page);
    }
    expect(seen.slice(0, 7)).toEqual(names.toReversed());
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('lists only the uploads of its caller', async () => {
    const filename = fresh('png');
    await prepare({ filename, category: 'ARTWORK' });
    const own = await gateway.caller.ask(list, { first: 5 });
    expect(JSON.stringify(own.data)).toContain(filename);
    const other = new GraphQLCaller(gateway.app.url, { authorization: `Bearer ${testToken}-1` });
    expect(JSON.stringify(await other.data(list, { first: 100 }))).not.toContain(filename);
  });

  it('refuses an invalid cursor', async () => {
    const foreign = Buffer.from(JSON.stringify(['upload', 'yesterday', 'artwork', 'a.png']));
    for (const after of ['x', foreign.toString('base64url')])
      expect((await gateway.caller.ask(list, { after })).errors).toMatchObject([
        { path: ['myUploads'], extensions: { code: 'INVALID_INPUT', inputPath: ['after'] } },
      ]);
  });
});
