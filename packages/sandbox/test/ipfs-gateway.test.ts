import { randomBytes } from 'node:crypto';
import { CarReader } from '@ipld/car';
import { CID } from 'multiformats/cid';
import { sha256 } from 'multiformats/hashes/sha2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../testing/sandbox.ts';

/** Three chunks: a root block and three leaves. */
const bigBytes = randomBytes(2.5 * 2 ** 20);

let test: TestSandbox;
let small: string;
let big: string;

beforeAll(async () => {
  test = await startTestSandbox();
  const issuer = new TestIssuer(test.sandbox.info);
  const smallFile = await issuer.uploadReady('small.png', 'non_attachment_file', '0123456789');
  const bigFile = await issuer.uploadReady('big.mp4', 'non_attachment_file', bigBytes);
  const entry = issuer.entry(smallFile.finalUrl, {
    metadata: issuer.metadata(smallFile.finalUrl, { image: bigFile.finalUrl }),
  });
  expect((await issuer.post('srrs', { payload: [entry] })).status).toBe(201);
  small = smallFile.cid;
  big = bigFile.cid;
});
afterAll(() => test?.stop());

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(`${test.sandbox.info.ipfsUrl}/ipfs/${path}`, { headers, method });
}

describe('content', () => {
  it('of one block is its bytes, cacheable for ever', async () => {
    const response = await get(small);
    expect(await response.text()).toBe('0123456789');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '10',
      'cache-control': 'public, max-age=29030400, immutable',
      etag: `"${small}"`,
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'x-ipfs-path': `/ipfs/${small}`,
    });
  });

  it('of several blocks is assembled, whole and in ranges', async () => {
    expect(big).toMatch(/^bafybei/);
    const whole = await get(big);
    expect(whole.headers.get('content-length')).toBe(`${bigBytes.length}`);
    expect(Buffer.compare(Buffer.from(await whole.arrayBuffer()), bigBytes)).toBe(0);
    // Across the boundary of two chunks.
    const part = await get(big, { range: 'bytes=1048570-1048585' });
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes 1048570-1048585/${bigBytes.length}`,
    ]);
    expect(Buffer.from(await part.arrayBuffer()).equals(bigBytes.subarray(1_048_570, 1_048_586))).toBe(true);
    const outside = await get(big, { range: `bytes=${bigBytes.length}-` });
    expect([outside.status, outside.headers.get('content-range')]).toEqual([
      416,
      `bytes */${bigBytes.length}`,
    ]);
  });

  it('is sent whole when If-Range names another copy', async () => {
    const range = 'bytes=2-3';
    expect(await (await get(small, { range, 'if-range': `"${small}"` })).text()).toBe('23');
    const other = await get(small, { range, 'if-range': '"other"' });
    expect([other.status, await other.text()]).toEqual([200, '0123456789']);
  });

  it('is not sent again to a client that has it', async () => {
    for (const tag of [`"${small}"`, `W/"${small}"`, `"x", "${small}"`, '*'])
      expect((await get(small, { 'if-none-match': tag })).status, tag).toBe(304);
    expect((await get(small, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('answers HEAD with headers alone', async () => {
    for (const [path, length] of [
      [small, '10'],
      [big, `${bigBytes.length}`],
      [`${small}?format=raw`, '10'],
    ] as const) {
      const head = await get(path, {}, 'HEAD');
      expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, length, '']);
    }
  });

  it('gets the filename of the link, and the type of its extension', async () => {
    const response = await get(`${small}?filename=a%20b.txt&download=true`);
    expect(response.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''a%20b.txt");
    expect(response.headers.get('content-type')).toBe('text/plain');
    const unnamed = await get(`${small}?filename=picture`);
    expect(unnamed.headers.get('content-type')).toBe('image/png');
  });
});

describe('a block', () => {
  it.each<[string, string, Record<string, string>]>([
    ['query', '?format=raw', {}],
    ['Accept', '', { accept: 'application/vnd.ipld.raw' }],
  ])('asked for by %s hashes to its CID', async (_, query, headers) => {
    const response = await get(`${big}${query}`, headers);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const digest = await sha256.digest(bytes);
    expect(CID.createV1(CID.parse(big).code, digest).toString()).toBe(big);
    expect(response.headers.get('content-type')).toBe('application/vnd.ipld.raw');
    expect(response.headers.get('etag')).toBe(`"${big}.raw"`);
  });

  it('that is empty is served for the probe of trustless clients', async () => {
    const response = await get('bafkqaaa?format=raw');
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});

describe('a CAR', () => {
  it('has every block once, the root first', async () => {
    const response = await get(`${big}?format=car`, { accept: 'application/vnd.ipld.car' });
    expect(response.headers.get('content-type')).toMatch(/^application\/vnd\.ipld\.car; version=1/);
    const reader = await CarReader.fromBytes(new Uint8Array(await response.arrayBuffer()));
    expect((await reader.getRoots()).map(String)).toEqual([big]);
    const cids: string[] = [];
    for await (const { cid, bytes } of reader.blocks()) {
      cids.push(`${cid}`);
      expect(CID.createV1(cid.code, await sha256.digest(bytes)).equals(cid)).toBe(true);
    }
    expect(cids).toHaveLength(4);
    expect(cids[0]).toBe(big);
  });

  it('can be limited to its root', async () => {
    const response = await get(`${big}?format=car&dag-scope=block`);
    const reader = await CarReader.fromBytes(new Uint8Array(await response.arrayBuffer()));
    const cids: string[] = [];
    for await (const { cid } of reader.blocks()) cids.push(`${cid}`);
    expect(cids).toEqual([big]);
  });
});

describe('missing content is refused:', () => {
  const unknown = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku';

  it.each<[string, string, Record<string, string>, number]>([
    ['content that nobody published', unknown, {}, 404],
    ['the same as a block', `${unknown}?format=raw`, {}, 404],
    ['the same from the cache only', unknown, { 'cache-control': 'only-if-cached' }, 412],
    ['a CID of version 0', 'QmPMc4tcBsMqLRuCQtPmPe84bpSjrC3Ky7t3JWuHXYB4aS', {}, 404],
    ['something that is not a CID', 'nonsense', {}, 400],
    ['a path that cannot be decoded', `${unknown}/%ff`, {}, 400],
    ['a format that is not served', `${unknown}?format=tar`, {}, 406],
  ])('%s', async (_, path, headers, status) => {
    const response = await get(path, headers);
    expect(response.status).toBe(status);
    expect(response.headers.get('cache-control')).toBeNull();
  });

  it('a path below a file, or its bytes under another codec', async () => {
    expect((await get(`${small}/name`)).status).toBe(404);
    const wrongCodec = CID.createV1(0x70, CID.parse(small).multihash);
    expect((await get(`${wrongCodec}`)).status).toBe(404);
  });
});
