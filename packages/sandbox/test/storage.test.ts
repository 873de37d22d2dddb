import { randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox, turnSandbox } from '../testing/sandbox.ts';

const limit = 100_000;

let test: TestSandbox;
let issuer: TestIssuer;

beforeAll(async () => {
  test = await startTestSandbox({ settings: { fileLimitBytes: limit } });
  issuer = new TestIssuer(test.sandbox.info);
});
afterAll(() => test?.stop());

// Others in each run of a test: its retry finds the files of the first run.
let run = 0;
beforeEach(() => void run++);
const named = (name: string) => `${run}-${name}`;

async function put(
  url: string,
  contentType: string | undefined,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<[number, string]> {
  const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
  const response = await fetch(url, { method: 'PUT', body, headers });
  return [response.status, code(await response.text())];
}

async function get(url: string, headers: Record<string, string> = {}): Promise<[number, string]> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  return [response.status, response.ok ? text : code(text)];
}

const code = (xml: string) => /<Code>(\w+)<\/Code>/.exec(xml)?.[1] ?? xml;

const moveClock = (clockOffsetMs: number) => turnSandbox(test.sandbox, { clockOffsetMs });

describe('a signed address', () => {
  it('accepts only what was signed', async () => {
    const { url, contentType } = await issuer.sign(named('signed.png'), 'artwork');
    const other = await issuer.sign(named('other.png'), 'artwork');
    const query = new URL(url).search;
    const refused = [403, 'SignatureDoesNotMatch'];
    expect(await put(url, 'image/jpeg', 'x')).toEqual(refused);
    expect(await put(url, `${contentType}; charset=utf-8`, 'x')).toEqual(refused);
    expect(await put(url, undefined, Buffer.from('x'))).toEqual(refused);
    expect(await put(url, 'not a media type', 'x')).toEqual(refused);
    expect(await put(other.url.replace(/\?.*/, query), contentType, 'x')).toEqual(refused);
    expect(await put(url.replace(/Expires=\d+/, 'Expires=9999999999'), contentType, 'x')).toEqual(refused);
    expect(await put(url.replace(/Signature=\w+/, 'Signature=00'), contentType, 'x')).toEqual(refused);
    expect(await put(url.replace(/\?.*/, ''), contentType, 'x')).toEqual([403, 'AccessDenied']);
    expect(await get(url, { 'content-type': contentType })).toEqual(refused);
    expect(await put(url, contentType, 'x')).toEqual([200, '']);
  });

  it('is valid for 15 minutes', async () => {
    const signedAfter = Date.now();
    const { url, contentType } = await issuer.sign(named('late.png'), 'artwork');
    const expires = Number(new URL(url).searchParams.get('Expires')) * 1000;
    expect(expires).toBeGreaterThanOrEqual(signedAfter + 15 * 60_000);
    await moveClock(14 * 60_000 + 55_000);
    expect(await get(url, { 'content-type': contentType })).toEqual([403, 'SignatureDoesNotMatch']);
    await moveClock(15 * 60_000 + 1_000);
    expect(await put(url, contentType, 'x')).toEqual([403, 'ExpiredToken']);
    await moveClock(0);
    expect(await put(url, contentType, 'x')).toEqual([200, '']);
  });

  it('remains valid after a restart', async () => {
    const { url, contentType } = await issuer.sign(named('restart.png'), 'artwork');
    await test.restart();
    expect(await put(url, contentType, 'x')).toEqual([200, '']);
  });
});

describe('a name', () => {
  it('accepts no second content, in any category, but may be signed again', async () => {
    const first = await issuer.upload(named('taken.png'), 'artwork', 'first');
    for (const category of ['artwork', 'certificate'] as const) {
      const { url, contentType } = await issuer.sign(named('taken.png'), category);
      expect(await put(url, contentType, 'second')).toEqual([412, 'PreconditionFailed']);
    }
    expect(await get(first)).toEqual([200, 'first']);
    expect((await issuer.sign(named('taken.png'), 'artwork', 'read')).finalUrl).toBe(first);
    const other = new TestIssuer(test.sandbox.info, 1);
    expect(await get(await other.upload(named('taken.png'), 'artwork', 'theirs'))).toEqual([200, 'theirs']);
  });

  it('is taken by one of several concurrent uploads', async () => {
    const { url, contentType, finalUrl } = await issuer.sign(named('race.png'), 'artwork');
    const bodies = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(50_000));
    const answers = await Promise.all(bodies.map((body) => put(url, contentType, body)));
    const statuses = answers.map(([status]) => status);
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412]);
    expect(await get(finalUrl)).toEqual([200, bodies[statuses.indexOf(200)]]);
  });

  it('may contain any character but a space', async () => {
    const name = named('ä/b%2F?c#d&e=f+日本.png');
    const finalUrl = await issuer.upload(name, 'artwork', 'odd name');
    expect(await get(finalUrl)).toEqual([200, 'odd name']);
    const { body } = await issuer.post('fileMetadata', {
      payload: [{ filename: name, category: 'artwork' }],
    });
    expect(body.results[0].filename).toBe(name);
  });
});

describe('an object', () => {
  it('of a public category is open to everybody, a private one to its signature only', async () => {
    const open = await issuer.upload(named('open.txt'), 'non_attachment_file', 'open');
    expect(await get(open)).toEqual([200, 'open']);
    const closed = await issuer.upload(named('closed.txt'), 'for_authenticity', 'closed');
    expect(await get(closed)).toEqual([403, 'AccessDenied']);
    expect(await get(closed.replace('/storage/private/', '/static/'))).toEqual([404, 'NoSuchKey']);
    expect(await get(closed.replace('/private/', '/public/'))).toEqual([403, 'AccessDenied']);
    const { url, contentType } = await issuer.sign(named('closed.txt'), 'for_authenticity', 'read');
    expect(await get(url, { 'content-type': contentType })).toEqual([200, 'closed']);
    // By the document the signature of a download includes the Content-Type too.
    expect(await get(url)).toEqual([403, 'SignatureDoesNotMatch']);
    const never = await issuer.sign(named('never.txt'), 'installation', 'read');
    expect(await get(never.url, { 'content-type': never.contentType })).toEqual([404, 'NoSuchKey']);
  });

  it('is strictly smaller than the limit, announced or not', async () => {
    const over = randomBytes(limit);
    const { url, contentType } = await issuer.sign(named('big.bin'), 'artwork');
    expect(await put(url, contentType, over)).toEqual([400, 'EntityTooLarge']);
    expect(await putChunked(url, contentType, over)).toEqual([400, 'EntityTooLarge']);
    expect(await putChunked(url, contentType, over.subarray(1))).toEqual([200, '']);
  });

  it('that was only partly uploaded does not exist, and its name is free', async () => {
    const { url, contentType, finalUrl } = await issuer.sign(named('cut.bin'), 'artwork');
    await new Promise<void>((resolve) => {
      const cut = request(url, {
        method: 'PUT',
        headers: { 'content-type': contentType, 'content-length': '1000' },
      });
      cut.on('error', () => resolve());
      cut.write('only this', () => setTimeout(() => cut.destroy(), 50));
    });
    expect(await get(finalUrl)).toEqual([404, 'NoSuchKey']);
    expect(await put(url, contentType, 'whole')).toEqual([200, '']);
  });

  it('that the storage cannot write gets a 500, not an error about its body', async () => {
    const { url, contentType } = await issuer.sign(named('broken.bin'), 'artwork');
    const arriving = join(test.dataDir, 'storage/arriving');
    await rename(arriving, `${arriving}-away`);
    const answer = await new Promise<[number | undefined, string]>((resolve, reject) => {
      const headers = { 'content-type': contentType, 'content-length': '1000' };
      const sending = request(url, { method: 'PUT', headers }, (response) => {
        textOf(response).then((xml) => resolve([response.statusCode, code(xml)]), reject);
      });
      sending.on('error', reject);
      sending.write('only this');
    });
    await rename(`${arriving}-away`, arriving);
    expect(answer).toEqual([500, 'InternalError']);
    expect(await put(url, contentType, 'whole')).toEqual([200, '']);
  });

  it('may be empty, and is read in ranges', async () => {
    const { cid, size } = await issuer.uploadReady(named('empty.txt'), 'artwork', '');
    expect([cid, size]).toEqual(['bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku', 0]);
    const finalUrl = await issuer.upload(named('range.txt'), 'artwork', '0123456789');
    const part = await fetch(finalUrl, { headers: { range: 'bytes=2-4' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 2-4/10',
      '234',
    ]);
    expect(await get(finalUrl, { range: 'bytes=-3' })).toEqual([206, '789']);
    expect(await get(finalUrl, { range: 'bytes=20-' })).toEqual([416, 'InvalidRange']);
    const head = await fetch(finalUrl, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), head.headers.get('content-type')]).toEqual([
      200,
      '10',
      'text/plain',
    ]);
  });

  it('can be written and read by a page of any origin', async () => {
    const { url, contentType } = await issuer.sign(named('page.png'), 'artwork');
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://page.test',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('content-type');
    const refused = await fetch(url, { method: 'PUT', body: 'x', headers: { 'content-type': 'a/b' } });
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(await put(url, contentType, 'x')).toEqual([200, '']);
  });
});

/** Without Content-Length, as a stream of unknown size. */
function putChunked(url: string, contentType: string, body: Buffer): Promise<[number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'PUT', headers: { 'content-type': contentType } }, (response) => {
      textOf(response).then((xml) => resolve([response.statusCode, code(xml)]), reject);
    });
    sending.on('error', reject);
    for (let at = 0; at < body.length; at += 10_000) sending.write(body.subarray(at, at + 10_000));
    sending.end();
  });
}

it('fileMetadata has either label of the document, or none', async () => {
  await issuer.upload(named('label.png'), 'artwork', 'label');
  const payload = [{ filename: named('label.png'), category: 'artwork' }];
  const shaped = async (fileMetadataShape: string) => {
    await turnSandbox(test.sandbox, { fileMetadataShape });
    return (await issuer.post('fileMetadata', { payload })).body;
  };
  await expect.poll(async () => (await shaped('results')).results[0].hash).toBeDefined();
  const { results } = await shaped('results');
  expect(await shaped('payload')).toEqual({ payload: results });
  expect(await shaped('array')).toEqual(results);
  await turnSandbox(test.sandbox, { fileMetadataShape: 'results' });
});
