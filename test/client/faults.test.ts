import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import {
  type Client,
  createClient,
  FilenameTakenError,
  GatewayError,
  IdempotencyConflictError,
  InvalidInputError,
  type IssueEntryInput,
  NoAnswerError,
  type NodeSource,
  type Progress,
  RateLimitedError,
  type Retry,
  UnauthenticatedError,
  type Upload,
} from '@srr-gateway/client';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClient as createBrowserClient } from '../../packages/client/dist/index.js';
import { waitFor } from '../../packages/client/dist/retry.js';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';
import { project } from '../_util/gateway-process.ts';
import { type FaultyProxy, faultyProxy } from './faulty-proxy.ts';

let gateway: TestGateway;
/** Proxies in front of the gateway and of storage. */
let front: FaultyProxy;
let storage: FaultyProxy;
let client: Client<NodeSource>;
const retries: Retry[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  const signed = new URL(await signedUrl());
  front = await faultyProxy(gateway.app.url);
  storage = await faultyProxy(signed.origin);
  client = createClient({
    url: `${front.url}/graphql`,
    token: testToken,
    // Answers contain addresses of the gateway and storage: replace them by those of the proxies.
    fetch: (address, init) =>
      fetch(address.replace(gateway.app.url, front.url).replace(signed.origin, storage.url), init),
    onRetry: (retry) => retries.push(retry),
  });
});
afterEach(() => {
  retries.length = 0;
});
afterAll(async () => {
  await front?.close();
  await storage?.close();
  await gateway?.stop();
});

async function signedUrl(): Promise<string> {
  const { createUploads } = await gateway.caller.data(
    'mutation ($files: [UploadSpecInput!]!) { createUploads(input: { files: $files }) { uploads { signedUrl } } }',
    { files: [{ filename: `${randomUUID()}.png`, category: 'ARTWORK' }] },
  );
  return createUploads.uploads[0].signedUrl;
}

type FileKey = Pick<Upload, 'filename' | 'category'>;

const fresh = () => ({ filename: `${randomUUID()}.bin`, category: 'NON_ATTACHMENT_FILE' as const });
const namedRequest = expect.stringMatching(/^[0-9a-f-]{36}$/);
const sha256 = (bytes: Buffer) => `sha256-${createHash('sha256').update(bytes).digest('hex')}`;
const isPut = ({ method }: { method?: string | undefined }) => method === 'PUT';

async function expectStored({ filename, category }: FileKey, bytes: Buffer): Promise<void> {
  const file = { filename, category };
  const stored = async () =>
    (
      await gateway.caller.data(
        'query ($files: [FileKeyInput!]!) { uploads(files: $files) { status hash size } }',
        { files: [file] },
      )
    ).uploads;
  await expect.poll(stored).toEqual([{ status: 'READY', hash: sha256(bytes), size: String(bytes.length) }]);
}

describe('an upload', () => {
  it.each(['signedUrl', 'proxyUrl'] as const)('resumes after its connection was cut (%s)', async (via) => {
    const bytes = randomBytes(3_000_000);
    const file = fresh();
    const proxy = via === 'signedUrl' ? storage : front;
    proxy.next(isPut, 'cut');
    const progress: Progress[] = [];
    const upload = await client.upload(new Blob([bytes]), {
      ...file,
      via,
      onProgress: (one) => progress.push(one),
    });
    expect(upload).toMatchObject(file);
    expect(upload).not.toHaveProperty('signedUrl');
    expect(retries).toMatchObject([{ error: { code: 'NO_ANSWER' }, attempt: 1 }]);
    expect(progress.filter(({ phase }) => phase === 'hashing').at(-1)?.bytes).toBe(bytes.length);
    expect(progress.at(-1)).toEqual({ phase: 'sending', bytes: bytes.length, total: bytes.length });
    expect(progress.length).toBeGreaterThan(12);
    await expectStored(file, bytes);
  });

  it.each(['signedUrl', 'proxyUrl', 'uploadFile'] as const)(
    'may take longer than the time-out while its bytes move (%s)',
    async (via) => {
      const bytes = randomBytes(2_000_000);
      const file = fresh();
      const sent: number[] = [];
      const slow = createClient({
        url: `${gateway.app.url}/graphql`,
        token: testToken,
        timeoutMs: 1_500,
        retryForMs: 0,
        fetch: async (address, init) => {
          if (typeof init?.body === 'string') return fetch(address, init);
          const { body, headers, method, signal } = new Request(address, init);
          const pieces: Uint8Array[] = [];
          for await (const piece of body ?? []) {
            pieces.push(piece);
            await sleep(300, undefined, { signal });
          }
          return fetch(address, { method, headers, signal, body: Buffer.concat(pieces) });
        },
      });
      const onProgress = ({ phase, bytes: count }: Progress) => phase === 'sending' && sent.push(count);
      await slow.upload(new Blob([bytes]), { ...file, via, onProgress });
      expect(sent.length).toBeGreaterThan(7);
      expect(sent).toEqual(sent.toSorted((a, b) => a - b));
      expect(sent.at(-1)).toBe(bytes.length);
      await expectStored(file, bytes);
    },
  );

  it('may take longer than the time-out where no progress is reported, as in a service worker', async () => {
    const file = fresh();
    const bytes = randomBytes(100_000);
    const worker = createBrowserClient({
      url: `${gateway.app.url}/graphql`,
      token: testToken,
      timeoutMs: 1_000,
      retryForMs: 0,
      fetch: async (address, init) => {
        if (init?.method === 'PUT') await sleep(2_000, undefined, init.signal ? { signal: init.signal } : {});
        return fetch(address, init);
      },
    });
    await worker.upload(new Blob([bytes]), file);
    await expectStored(file, bytes);
  });

  it('is retried even if its connection breaks after more than retryForMs', async () => {
    const file = fresh();
    const bytes = randomBytes(1_000);
    let broken = 0;
    const slow = createClient({
      url: `${gateway.app.url}/graphql`,
      token: testToken,
      retryForMs: 1_000,
      fetch: async (address, init) => {
        if (init?.method !== 'PUT' || broken++ > 0) return fetch(address, init);
        await sleep(1_500);
        throw new TypeError('fetch failed');
      },
    });
    await slow.upload(new Blob([bytes]), file);
    await expectStored(file, bytes);
  });

  it.each(['signedUrl', 'proxyUrl', 'uploadFile'] as const)(
    'ends with what its onProgress throws, and is not repeated (%s)',
    async (via) => {
      const mistake = new Error('of the caller');
      const onProgress = ({ phase, bytes }: Progress) => {
        if (phase === 'sending' && bytes > 0) throw mistake;
      };
      const upload = client.upload(new Blob([randomBytes(600_000)]), { ...fresh(), via, onProgress });
      await expect(upload).rejects.toBe(mistake);
      expect(retries).toEqual([]);
    },
  );

  it('of a path that is not a file names the path and the reason', async () => {
    const path = join(tmpdir(), randomUUID());
    await expect(client.upload(path, fresh())).rejects.toMatchObject({ code: 'ENOENT', path });
    await expect(client.upload(tmpdir(), fresh())).rejects.toThrow(`${tmpdir()} is not a file.`);
  });

  it('of a file that changes meanwhile reports that, and is not sent again', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'client-')), `${randomUUID()}.bin`);
    await writeFile(path, randomBytes(3_000_000));
    const { category } = fresh();
    const onProgress = ({ phase, bytes }: Progress) => {
      if (phase === 'sending' && bytes === 0) writeFileSync(path, 'shorter');
    };
    const changed = client.upload(path, { category, onProgress });
    await expect(changed).rejects.toThrow(/\.bin changed during its upload/);
    expect(retries).toEqual([]);
  });

  it('falls back to the gateway when storage is unreachable', async () => {
    const bytes = randomBytes(10_000);
    const file = fresh();
    storage.next(isPut, { status: 403 });
    await client.upload(new Blob([bytes]), file);
    expect(front.seen).toContain(`PUT /uploads/non_attachment_file/${file.filename}`);
    await expectStored(file, bytes);
  });

  it('reports the refusal of storage or a proxy as such, even if it is in JSON', async () => {
    const file = fresh();
    storage.next(isPut, { status: 403, body: '{"error":{"code":403,"message":"no such key"}}' });
    await client.upload(new Blob([file.filename]), file);
    expect(retries).toMatchObject([{ error: { code: 'UPLOAD_REFUSED' } }]);
    front.next(isPut, { status: 403, body: '{"error":"Forbidden"}' });
    const refused = client.upload(new Blob([randomUUID()]), { ...fresh(), via: 'proxyUrl' });
    await expect(refused).rejects.toMatchObject({
      code: 'UPLOAD_REFUSED',
      message: expect.stringMatching(/403/),
    });
  });

  it.each(['signedUrl', 'proxyUrl'] as const)(
    'is not sent again when only its answer was lost (%s)',
    async (via) => {
      const bytes = randomBytes(100_000);
      const file = fresh();
      const proxy = via === 'signedUrl' ? storage : front;
      proxy.next(isPut, 'lose');
      const before = proxy.seen.filter((line) => line.startsWith('PUT')).length;
      expect(await client.upload(new Blob([bytes]), { ...file, via })).toMatchObject({
        ...file,
        hash: sha256(bytes),
      });
      expect(retries).toMatchObject([{ error: { code: 'NO_ANSWER' } }]);
      expect(proxy.seen.filter((line) => line.startsWith('PUT'))).toHaveLength(before + 1);
    },
  );

  it('accepts a path, a stream and a File, and does not send known content again', async () => {
    const bytes = randomBytes(50_000);
    const path = join(await mkdtemp(join(tmpdir(), 'client-')), `${randomUUID()}.bin`);
    await writeFile(path, bytes);
    const { category } = fresh();
    const first = await client.upload(path, { category });
    expect(path.endsWith(first.filename)).toBe(true);
    await expectStored(first, bytes);
    const puts = storage.seen.length;
    const { filename } = fresh();
    expect(await client.upload(Readable.from([bytes]), { filename, category })).toMatchObject({
      id: first.id,
    });
    expect(await client.upload(new File([bytes], filename), { category })).toMatchObject({ id: first.id });
    expect(await client.upload(pathToFileURL(path), { category })).toMatchObject({ id: first.id });
    expect(storage.seen).toHaveLength(puts);
    for (const nameless of [new Blob([bytes]), Readable.from([bytes])])
      await expect(client.upload(nameless, { category })).rejects.toThrow(/filename/);
    expect((await readdir(tmpdir())).filter((name) => name.startsWith('srr-upload-'))).toEqual([]);
  });

  it('under a name that has other content is refused with the class of its code', async () => {
    const file = fresh();
    const [one, two] = [randomBytes(10), randomBytes(10)];
    await client.upload(new Blob([one]), file);
    await expectStored(file, one);
    const refused = client.upload(new Blob([two]), file);
    await expect(refused).rejects.toBeInstanceOf(FilenameTakenError);
    await expect(refused).rejects.toMatchObject({
      path: ['input', 'files', '0', 'filename'],
      requestId: namedRequest,
    });
  });

  it.each([undefined, 'signedUrl'] as const)(
    'under a name that is used in another category is refused quickly (via %s)',
    async (via) => {
      const { filename, category } = fresh();
      await client.upload(new Blob([filename]), { filename, category: 'ARTWORK' });
      const startedAt = performance.now();
      const refused = client.upload(new Blob([filename]), { filename, category, ...(via && { via }) });
      const expected = via ? { code: 'UPLOAD_REFUSED' } : expect.any(FilenameTakenError);
      await expect(refused).rejects.toMatchObject(expected);
      expect(performance.now() - startedAt).toBeLessThan(30_000);
    },
  );

  it('ends with its signal while its stream is read', async () => {
    const stop = new AbortController();
    const endless = Readable.from(
      (async function* () {
        for (;;) {
          yield randomBytes(10);
          await sleep(10);
        }
      })(),
    );
    const upload = client.upload(endless, { ...fresh(), signal: stop.signal });
    setTimeout(() => stop.abort(), 200);
    await expect(upload).rejects.toMatchObject({ name: 'AbortError' });
    expect(endless.destroyed).toBe(true);
    expect((await readdir(tmpdir())).filter((name) => name.startsWith('srr-upload-'))).toEqual([]);
  }, 5_000);

  it('ends with its signal in a page too, if it aborts before the request is sent', async () => {
    // Like a browser's: `abort` before `send` fires no event.
    class Request {
      upload = {};
      open() {}
      setRequestHeader() {}
      abort() {}
      send = () => expect.unreachable();
    }
    vi.stubGlobal('XMLHttpRequest', Request);
    onTestFinished(() => void vi.unstubAllGlobals());
    const stop = new AbortController();
    const page = createBrowserClient({ url: `${gateway.app.url}/graphql`, token: testToken });
    const onProgress = ({ phase }: Progress) => phase === 'sending' && stop.abort();
    const upload = page.upload(new Blob([randomUUID()]), { ...fresh(), onProgress, signal: stop.signal });
    await expect(upload).rejects.toMatchObject({ name: 'AbortError' });
  }, 5_000);

  it('ends with its signal, and does not keep the process alive', async () => {
    const program = `
      import { createClient } from '@srr-gateway/client';
      const stop = new AbortController();
      await createClient({ url: '${gateway.app.url}/graphql', token: '${testToken}' })
        .upload(new Blob([new Uint8Array(5_000_000)]), {
          filename: '${fresh().filename}',
          category: 'NON_ATTACHMENT_FILE',
          signal: stop.signal,
          onProgress: ({ phase, bytes }) => phase === 'sending' && bytes > 0 && stop.abort(),
        })
        .catch(({ name }) => console.log(name));`;
    // A transfer counts as lost after a minute.
    const ran = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: project,
      timeout: 30_000,
    });
    await expect(ran).resolves.toMatchObject({ stdout: 'AbortError\n' });
  }, 60_000);
});

describe('an issuance', () => {
  const order = async (): Promise<IssueEntryInput> => {
    const { id } = await client.upload(new Blob([randomBytes(1_000)]), fresh());
    return entry(gateway.info, randomUUID(), { upload: id }) as unknown as IssueEntryInput;
  };

  it('is sent again when its answer was lost, and issued once', async () => {
    const one = await order();
    const requestId = randomUUID();
    front.next((_req, body) => body.includes('mutation IssueSRRs'), 'lose');
    // The subscription breaks too, and reconnects.
    front.next((_req, body) => body.includes('subscription WatchIssuance'), 'lose');
    const issued = await client.issueAndWait([one], { requestId });
    expect(issued).toMatchObject({ requestId, status: 'COMPLETED', progress: { total: 1, issued: 1 } });
    expect(retries.map(({ error }) => error.code)).toContain('NO_ANSWER');
    const again = client.issuance({ requestId });
    expect(await again.done).toEqual(issued);
    expect(await client.issue([one], { requestId }).done).toEqual(issued);
    const { data } = await client.query<{ issuances: { edges: object[] } }>(
      'query ($id: String) { issuances(where: { externalId: $id }) { edges { node { id } } } }',
      { id: one.externalId },
    );
    expect(data.issuances.edges).toHaveLength(1);
    await expect(client.issue([await order()], { requestId }).done).rejects.toBeInstanceOf(
      IdempotencyConflictError,
    );
  });

  it('is not waited for without a limit when the gateway is gone', async () => {
    const one = await order();
    let isGone = false;
    const shortRetries = createClient({
      url: `${gateway.app.url}/graphql`,
      token: testToken,
      retryForMs: 1_000,
      fetch: (address, init) =>
        isGone ? Promise.reject(new TypeError('fetch failed')) : fetch(address, init),
    });
    const issuing = shortRetries.issue([one], { requestId: randomUUID() });
    await issuing.stored;
    isGone = true;
    await expect(issuing.done).rejects.toBeInstanceOf(NoAnswerError);
  }, 10_000);

  it('is refused with every fault and the request id, at once and without a retry', async () => {
    const one = await order();
    const image = { file: { category: 'CERTIFICATE' as const, filename: 'a.pdf' } };
    const entries = [
      { ...one, externalId: '' },
      { ...one, metadata: { ...one.metadata, image } },
    ];
    const issuing = client.issue(entries as IssueEntryInput[], { requestId: randomUUID() });
    const error = await issuing.stored.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({
      code: 'EXTERNAL_ID_INVALID',
      path: ['input', 'entries', '0', 'externalId'],
      requestId: namedRequest,
    });
    expect((error as GatewayError).all.slice(1)).toMatchObject([
      {
        code: 'FILE_NOT_PUBLIC',
        path: ['input', 'entries', '1', 'metadata', 'image'],
        externalId: one.externalId,
      },
    ]);
    await expect(issuing.done).rejects.toBe(error);
    expect(retries).toEqual([]);
  });
});

describe('a query', () => {
  it('waits as long as Retry-After says', async () => {
    front.next(() => true, { status: 429, headers: { 'retry-after': '1' } });
    const began = performance.now();
    const { data } = await client.query<{ viewer: object }>('{ viewer { issuer } }');
    expect(data.viewer).toEqual({ issuer: gateway.issuer.address });
    expect(performance.now() - began).toBeGreaterThan(950);
    expect(retries).toMatchObject([{ waitMs: 1000, error: { code: 'RATE_LIMITED', retryAfter: 1 } }]);
    expect(retries[0]?.error).toBeInstanceOf(RateLimitedError);
  });

  it('waits until the date that Retry-After names', async () => {
    const date = new Date(Date.now() + 3_000).toUTCString();
    front.next(() => true, { status: 503, headers: { 'retry-after': date } });
    await client.query('{ __typename }');
    expect(retries).toMatchObject([{ waitMs: expect.any(Number) }]);
    expect(retries[0]?.waitMs).toBeGreaterThan(1_000);
    expect(retries[0]?.waitMs).toBeLessThan(3_001);
  });

  it('is sent again after a pause, also when Retry-After says 0', async () => {
    const document = '{ viewer { issuer } }';
    for (let i = 0; i < 4; i++)
      front.next((_req, body) => body.includes(document), { status: 503, headers: { 'retry-after': '0' } });
    await client.query(document);
    const waits = retries.map(({ waitMs }) => waitMs);
    expect(waits).toHaveLength(4);
    for (const [i, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(125 * 2 ** i);
    // A timer with a longer delay would fire at once.
    expect(waitFor(new NoAnswerError('', { retryAfter: 1e9 }), 1)).toBe(2 ** 31 - 1);
    // A follower tries again for as long as the gateway is down.
    expect(waitFor(new NoAnswerError(''), 60)).toBeLessThanOrEqual(5_000);
  });

  it('gives up after retryForMs', async () => {
    const nobody = createClient({ url: 'http://127.0.0.1:1/graphql', retryForMs: 100 });
    await expect(nobody.query('{ viewer { issuer } }')).rejects.toBeInstanceOf(NoAnswerError);
  });

  it.each([
    ['an address without its scheme', { url: 'localhost:4000/graphql' }, /^url must be/],
    ['half an address, outside of a page', { url: '/graphql' }, /^url must be/],
    ['credentials in its address', { url: 'http://a:secret@127.0.0.1:1/graphql' }, /^url must be/],
    ['a token that was cut by somebody', { token: 'a-secret-tok…' }, /^The token/],
    [
      'a header of two lines',
      { headers: { 'x-one': 'secret\r\nx-two: b' } },
      /^The token, or one of headers/,
    ],
  ])('fails at once with %s', async (_, settings, message) => {
    const wrong = createClient({ url: `${gateway.app.url}/graphql`, ...settings });
    for (const failing of [
      () => wrong.query('{ __typename }'),
      () => wrong.follow({ onEvent: () => {} }),
      () => wrong.upload(new Blob(['x']), fresh()),
    ]) {
      const error = await failing().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TypeError);
      expect((error as TypeError).message).toMatch(message);
      expect((error as TypeError).message).not.toContain('secret');
    }
  });

  it('fails with the code, the path and the request id', async () => {
    const failed = client.query('query ($a: Address!) { collection(address: $a) { name } }', { a: '0x1' });
    await expect(failed).rejects.toBeInstanceOf(InvalidInputError);
    await expect(failed).rejects.toMatchObject({
      requestId: namedRequest,
      path: ['address'],
    });
    await expect(client.issuance({ requestId: randomUUID() }).stored).rejects.toMatchObject({
      code: 'NOT_FOUND',
      requestId: namedRequest,
    });
    const stranger = createClient({ url: `${front.url}/graphql`, token: async () => 'nobody-has-this' });
    await expect(stranger.query('{ __typename }')).rejects.toBeInstanceOf(UnauthenticatedError);
    const stop = stranger.follow({ onEvent: () => {} });
    await expect(stop).rejects.toBeInstanceOf(UnauthenticatedError);
  });

  it.each([
    ['text', (one: IssueEntryInput) => ({ ...one, artistAddress: 'a "b"; c' }), /^Address must be 0x/],
    ['an object', ({ externalId: _, ...one }: IssueEntryInput) => one, /^Field "externalId" of required/],
    ['a long value', (one: IssueEntryInput) => ({ ...one, to: 'a'.repeat(2_000) }), /^Address must be 0x/],
  ])('tells what is wrong with %s in words without GraphQL', async (_, change, message) => {
    const one = entry(gateway.info, randomUUID(), { upload: 'none' }) as IssueEntryInput;
    const { stored } = client.issue([change(one) as never], { requestId: randomUUID() });
    await expect(stored).rejects.toThrow(message);
    await expect(stored).rejects.toMatchObject({ path: expect.arrayContaining(['entries', '0']) });
  });

  it('returns the errors of parts beside the data', async () => {
    const anybody = createClient({ url: `${front.url}/graphql` });
    const { data, errors } = await anybody.query<object>(
      '{ __typename issuances { edges { node { id } } } }',
    );
    expect(data).toEqual({ __typename: 'Query', issuances: null });
    expect(errors).toMatchObject([{ code: 'UNAUTHENTICATED', path: ['issuances'] }]);
  });

  it('is repeated, unlike a mutation, whose lost answer is thrown unless it may be repeated', async () => {
    const document =
      'mutation ($input: CreateUploadsInput!) { createUploads(input: $input) { uploads { id } } }';
    const variables = { input: { files: [fresh()] } };
    front.next(() => true, 'lose');
    await expect(client.mutate(document, variables)).rejects.toBeInstanceOf(NoAnswerError);
    front.next(() => true, 'lose');
    expect(await client.mutate(document, variables, { repeat: true })).toMatchObject({ errors: [] });
    front.next(() => true, { status: 429, headers: { 'retry-after': '0' } });
    expect(await client.mutate(document, variables)).toMatchObject({ errors: [] });
  });
});
