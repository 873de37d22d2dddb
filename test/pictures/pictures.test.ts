import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import { identity } from 'multiformats/hashes/identity';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ContentServer, startContentServer } from '../_util/content-server.ts';
import { project } from '../_util/gateway-process.ts';
import { hugePng, page, svgWithScript } from '../_util/hostile-pictures.ts';
import { type LoneGateway, startLoneGateway } from '../_util/lone-gateway.ts';

let content: ContentServer;
let directory: string;
let gateway: LoneGateway;

beforeAll(async () => {
  content = await startContentServer();
  directory = await mkdtemp(join(tmpdir(), 'pictures-'));
  gateway = await start();
});
afterAll(async () => {
  await gateway?.stop();
  await content?.stop();
  await rm(directory, { recursive: true, force: true });
});

const start = () => startLoneGateway({ IPFS_GATEWAYS: content.url, IPFS_CACHE_DIR: directory });

/** A picture of noise, which no encoder can make small. */
const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  });

/** Publishes a metadata document with this picture, and returns the fields of its `image`. */
async function image(cid: string, fields: string, uri = `ipfs://${cid}`) {
  const document = await content.add(
    Buffer.from(JSON.stringify({ image: uri, salt: randomBytes(8).toString('hex') })),
  );
  const { metadata } = await gateway.anonymous.data(
    `query ($cid: CID!) { metadata(cid: $cid) { metadata { image { ${fields} } } } }`,
    { cid: document },
  );
  return metadata.metadata.image;
}

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(path.startsWith('http') ? path : `${gateway.address}${path}`, { headers });

async function picture(cid: string, variant: string) {
  const response = await get(`/pictures/${cid}/${variant}`);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

async function refusal(cid: string) {
  const response = await get(`/pictures/${cid}/320x320.webp`);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return { status: response.status, code: error.code };
}

describe('Media.url(transform:)', () => {
  it('is the permanent address of a picture that fits into the box', async () => {
    const cid = await content.add(await noise(1200, 600).jpeg().toBuffer());
    const { url } = await image(cid, 'url(transform: { maxWidth: 300, maxHeight: 500 })');
    expect(url).toBe(`${gateway.address}/pictures/${cid}/320x640.webp`);
    const response = await get(url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/default-src 'none'; sandbox$/),
      'cross-origin-resource-policy': 'cross-origin',
      etag: expect.stringMatching(/^".+"$/),
      // An <img> sends no Origin, but a script that reads the picture later may get this cached response.
      'access-control-allow-origin': '*',
    });
    const made = await sharp(await response.arrayBuffer()).metadata();
    expect([made.format, made.width, made.height]).toEqual(['webp', 320, 160]);
    const again = await get(url, { 'if-none-match': response.headers.get('etag') as string });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([
      304,
      '',
      response.headers.get('etag'),
    ]);
    const changed = await get(url, { 'if-none-match': '"another"' });
    expect([changed.status, (await changed.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
  });

  it.each([
    ['WEBP', 'webp', 'image/webp'],
    ['AVIF', 'heif', 'image/avif'],
    ['JPEG', 'jpeg', 'image/jpeg'],
    ['PNG', 'png', 'image/png'],
  ])('can have the format %s', async (format, made, type) => {
    const cid = await content.add(await noise(500, 400).png().toBuffer());
    const { url } = await image(cid, `url(transform: { maxWidth: 160, format: ${format} })`);
    const response = await get(url);
    expect(response.headers.get('content-type')).toBe(type);
    expect((await sharp(await response.arrayBuffer()).metadata()).format).toBe(made);
  });

  it('rounds every size to one of six, so that nobody can request endless variants', async () => {
    const cid = await content.add(await noise(40, 40).png().toBuffer());
    const urls = new Set<string>();
    for (const size of [1, 159, 160, 161, 700, 2_561, 2_147_483_647])
      urls.add((await image(cid, `url(transform: { maxWidth: ${size} })`)).url.split('/').at(-1));
    expect([...urls]).toEqual(['160x2560.webp', '320x2560.webp', '960x2560.webp', '2560x2560.webp']);
    for (const path of ['161x160.webp', '0x0.webp', '160x160.gif', '160.webp', '160x160.webp/x'])
      expect([path, (await get(`/pictures/${cid}/${path}`)).status]).toEqual([path, 404]);
  });

  it('refuses a size of zero, and names the argument', async () => {
    const answer = await gateway.anonymous.ask(
      'query ($cid: CID!) { metadata(cid: $cid) { metadata { image { url(transform: { maxWidth: 0 }) } } } }',
      { cid: await content.add(Buffer.from('{"image":"ipfs://bafkqaaa"}')) },
    );
    expect(answer.errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT' } }]);
    expect(answer.errors?.[0]?.message).toContain('maxWidth');
  });

  it('returns addresses outside IPFS, paths below a CID and CIDs with all of their content unchanged', async () => {
    const cid = await content.add(Buffer.from('a directory'));
    const whole = CID.createV1(raw.code, identity.digest(randomBytes(100)));
    const fields = 'plain: url small: url(transform: { maxWidth: 160 })';
    for (const uri of ['https://elsewhere.example/a.png', `ipfs://${cid}/a.png`, `ipfs://${whole}`]) {
      const { plain, small } = await image(cid, fields, uri);
      expect(small).toBe(plain);
    }
    expect((await get(`/pictures/${whole}/160x160.webp`)).status).toBe(404);
  });
});

describe('a picture', () => {
  it('is rotated by its EXIF orientation, and loses its EXIF data', async () => {
    const original = await noise(300, 200)
      .withExif({ IFD0: { Copyright: 'a secret place' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const made = await picture(await content.add(original), '160x160.jpeg');
    const { width, height, exif, orientation } = await sharp(made).metadata();
    expect([width, height, exif, orientation]).toEqual([107, 160, undefined, undefined]);
    expect(made.includes('secret')).toBe(false);
  });

  it('keeps its colours when they are in another colour profile', async () => {
    // The same green in another colour space.
    const written = await sharp({ create: { width: 50, height: 50, channels: 3, background: '#2a8c3a' } })
      .withIccProfile('p3')
      .png()
      .toBuffer();
    const plain = await sharp(written).keepIccProfile().raw().toBuffer();
    expect([...plain.subarray(0, 3)]).not.toEqual([0x2a, 0x8c, 0x3a]);
    const rendered = await sharp(await picture(await content.add(written), '160x160.png'))
      .raw()
      .toBuffer();
    for (const [i, value] of [0x2a, 0x8c, 0x3a].entries())
      expect(Math.abs((rendered[i] as number) - value)).toBeLessThanOrEqual(3);
  });

  it('can be made from a JPEG with camera errors that browsers tolerate', async () => {
    const whole = await noise(300, 200).jpeg().toBuffer();
    const scan = whole.indexOf(Buffer.from([0xff, 0xda]));
    const table = whole.indexOf(Buffer.from([0xff, 0xdb]));
    // The byte with the scan's last spectral coefficient, which is 63 in every baseline JPEG.
    const lastOfScan = scan + 2 + whole.readUInt16BE(scan + 2) - 2;
    for (const slipped of [
      Buffer.from(whole).fill(0, lastOfScan, lastOfScan + 1),
      Buffer.concat([whole.subarray(0, table), Buffer.from([1, 2, 3]), whole.subarray(table)]),
    ]) {
      await expect(sharp(slipped).toBuffer()).rejects.toThrow('VipsJpeg');
      const made = await picture(await content.add(slipped), '160x160.webp');
      expect(await sharp(made).metadata()).toMatchObject({ width: 160, height: 107 });
    }
  });

  it('is white in JPEG where the original is transparent', async () => {
    const clear = { width: 20, height: 20, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } as const;
    const cid = await content.add(await sharp({ create: clear }).png().toBuffer());
    const [darkest] = (await sharp(await picture(cid, '160x160.jpeg')).stats()).channels;
    expect(darkest?.min).toBe(255);
  });

  it('is never enlarged', async () => {
    const made = await picture(await content.add(await noise(30, 20).png().toBuffer()), '2560x2560.png');
    expect(await sharp(made).metadata()).toMatchObject({ width: 30, height: 20 });
  });

  it('is made once for all simultaneous requests, and is still stored after a restart', async () => {
    const cid = await content.add(await noise(800, 800).jpeg().toBuffer());
    const all = await Promise.all(Array.from({ length: 20 }, () => picture(cid, '320x320.webp')));
    expect(new Set(all.map((one) => one.toString('base64'))).size).toBe(1);
    expect(content.requests.get(cid)).toBe(1);
    await gateway.stop();
    gateway = await start();
    for (const name of readdirSync(directory)) if (name.startsWith(cid)) await rm(join(directory, name));
    expect((await picture(cid, '320x320.webp')).equals(all[0] as Buffer)).toBe(true);
    expect(content.requests.get(cid)).toBe(1);
  });

  it('has a type and size only once its bytes were read, and a query for them fetches nothing', async () => {
    const cid = await content.add(await noise(640, 480).jpeg().toBuffer());
    const document = await content.add(Buffer.from(JSON.stringify({ image: `ipfs://${cid}` })));
    const ask = async () => {
      const query =
        'query ($cid: CID!) { metadata(cid: $cid) { metadata { image { contentType width height } } } }';
      return (await gateway.anonymous.data(query, { cid: document })).metadata.metadata.image;
    };
    for (let i = 0; i < 3; i++) expect(await ask()).toEqual({ contentType: null, width: null, height: null });
    expect(content.requests.get(cid)).toBeUndefined();
    await picture(cid, '160x160.webp');
    expect(await ask()).toEqual({ contentType: 'image/jpeg', width: 640, height: 480 });
    expect(content.requests.get(cid)).toBe(1);
  });
});

describe('a request for a picture', () => {
  it.each([
    ['a bomb of 50,000 × 50,000', () => hugePng(50_000), { status: 413, code: 'FILE_TOO_LARGE' }],
    ['a PNG of more than 50 million pixels', () => hugePng(7_100), { status: 413, code: 'FILE_TOO_LARGE' }],
    ['an SVG with a script', () => svgWithScript, { status: 415, code: 'NOT_A_PICTURE' }],
    ['an HTML page', () => page, { status: 415, code: 'NOT_A_PICTURE' }],
    ['an empty file', () => Buffer.alloc(0), { status: 415, code: 'NOT_A_PICTURE' }],
    [
      'half of a JPEG',
      async () => {
        const whole = await noise(900, 900).jpeg().toBuffer();
        return whole.subarray(0, whole.length / 2);
      },
      { status: 415, code: 'NOT_A_PICTURE' },
    ],
    ['a file of 41 MB', () => randomBytes(41_000_000), { status: 413, code: 'FILE_TOO_LARGE' }],
  ])('is refused with a code for %s', async (_what, bytes, expected) => {
    const cid = await content.add(await bytes());
    expect(await refusal(cid)).toEqual(expected);
    // Content never changes, so the second refusal fetches nothing.
    const before = content.requests.get(cid);
    expect(await refusal(cid)).toEqual(expected);
    expect(content.requests.get(cid)).toBe(before);
    // The decoded bomb would take 7.5 GB.
    const pid = decoder();
    if (pid !== undefined) expect(resident(pid)).toBeLessThan(400_000_000);
  });

  it.each([
    ['that the IPFS gateways do not have', { status: 404 }, { status: 404, code: 'NOT_FOUND' }],
    ['with wrong bytes', { status: 200, body: 'lies' }, { status: 502, code: 'CONTENT_MISMATCH' }],
    ['that the IPFS gateway blocks', { status: 451 }, { status: 502, code: 'UPSTREAM_BAD_RESPONSE' }],
    ['that times out at the IPFS gateway', { status: 504 }, { status: 504, code: 'UPSTREAM_TIMEOUT' }],
  ])('is refused with a code for content %s', async (_what, answer, expected) => {
    const cid = await content.add(randomBytes(100));
    content.spoil(cid, answer);
    expect(await refusal(cid)).toEqual(expected);
  });

  it('gets 503 when the decoder process is killed, and later requests succeed', async () => {
    const cid = await content.add(await noise(2_000, 2_000).png().toBuffer());
    await picture(await content.add(await noise(30, 30).png().toBuffer()), '160x160.png');
    const ticksBefore = processorTicks(decoder());
    const pendingResponse = get(`/pictures/${cid}/2560x2560.avif`);
    // Wait until it works on the picture: an idle process would be replaced by one that serves the request.
    // A busy machine needs its time to fetch and hash the original first.
    await expect.poll(() => processorTicks(decoder()), { timeout: 40_000 }).toBeGreaterThan(ticksBefore + 5);
    process.kill(decoder() as number, 'SIGKILL');
    const response = await pendingResponse;
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await picture(cid, '160x160.webp')).length).toBeGreaterThan(100);
  });

  it('is served by a decoder process without the gateway’s environment variables', async () => {
    await picture(await content.add(await noise(31, 30).png().toBuffer()), '160x160.png');
    const environment = readFileSync(`/proc/${decoder()}/environ`, 'utf8').split('\0').filter(Boolean);
    expect(environment.map((line) => line.split('=')[0]).toSorted()).toEqual([
      'MALLOC_ARENA_MAX',
      'NODE_CHANNEL_FD',
      'NODE_CHANNEL_SERIALIZATION_MODE',
    ]);
  });
});

/** The process id of the decoder that this process started. */
function decoder(): number | undefined {
  const lines = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  const line = lines.split('\n').find((one) => one.includes('resize-process.ts'));
  return line === undefined ? undefined : Number.parseInt(line, 10);
}

const processorTicks = (pid: number | undefined) =>
  Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[13]);

const resident = (pid: number | undefined) =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

describe('many pictures', () => {
  it('for 200 simultaneous requests are all made, in bounded memory', async () => {
    const bytes = await Promise.all(
      Array.from({ length: 4 }, () => noise(1_600, 1_200).jpeg({ quality: 90 }).toBuffer()),
    );
    // Append ten random bytes to each: the content differs, the work is the same.
    const cids = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        content.add(Buffer.concat([bytes[i % 4] as Buffer, randomBytes(10)])),
      ),
    );
    const before = process.memoryUsage().rss;
    const begun = performance.now();
    const statuses = await Promise.all(
      cids.map(async (cid) => {
        const response = await get(`/pictures/${cid}/320x320.webp`);
        await response.arrayBuffer();
        return response.status;
      }),
    );
    const mb = (value: number) => Math.round(value / 1e6);
    const own = resident(decoder());
    const growth = process.memoryUsage().rss - before;
    console.log(
      `200 pictures of 2 megapixels in ${((performance.now() - begun) / 1000).toFixed(1)} s: the decoder took ` +
        `${mb(own)} MB at most, the gateway (with the test's server) ${mb(growth)} MB more than before`,
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(own).toBeLessThan(400_000_000);
    expect(growth).toBeLessThan(400_000_000);
  }, 120_000);

  it('are loaded eight at a time, and requests beyond a thousand waiting ones get 503', async () => {
    const release = content.hold();
    const cids = await Promise.all(Array.from({ length: 1_030 }, () => content.add(randomBytes(20))));
    const statuses: number[] = [];
    const all = cids.map(async (cid) => {
      const response = await get(`/pictures/${cid}/160x160.webp`);
      await response.arrayBuffer();
      if (response.status === 503) expect(response.headers.get('retry-after')).toBe('5');
      statuses.push(response.status);
    });
    await expect.poll(() => statuses.length).toBe(22);
    expect(content.open()).toBe(8);
    release();
    await Promise.all(all);
    expect(statuses.filter((status) => status === 503)).toHaveLength(22);
    // All others were loaded, and are not pictures.
    expect(statuses.filter((status) => status === 415)).toHaveLength(1_008);
  }, 120_000);

  it('for one client address leave capacity to other clients', async () => {
    const behindProxy = await startLoneGateway({ IPFS_GATEWAYS: content.url, TRUSTED_PROXIES: '1' });
    onTestFinished(() => behindProxy.stop());
    const release = content.hold();
    const ask = async (address: string) => {
      const cid = await content.add(randomBytes(20));
      const headers = { 'x-forwarded-for': address };
      return (await fetch(`${behindProxy.address}/pictures/${cid}/160x160.webp`, { headers })).status;
    };
    const many = Array.from({ length: 6 }, () => ask('192.0.2.1'));
    await expect.poll(() => content.open()).toBe(3);
    const other = ask('192.0.2.2');
    await expect.poll(() => content.open()).toBe(4);
    release();
    expect(await Promise.all([...many, other])).toEqual(Array(7).fill(415));
  });

  it('for a page of 50 thumbnails take less than 1.5 MB', async () => {
    const folder = join(project, 'packages/sandbox/src/fixtures/data/pictures');
    const names = readdirSync(folder).slice(0, 50);
    // Screen-sized noise, which makes the pictures as hard to compress as photographs.
    const grain = await noise(800, 1_000).png({ compressionLevel: 1 }).toBuffer();
    let sources = 0;
    let bytes = 0;
    for (const name of names) {
      const original = await sharp(join(folder, name))
        .resize(800, 1_000, { fit: 'cover' })
        .composite([{ input: grain, blend: 'soft-light' }])
        .jpeg({ quality: 90 })
        .toBuffer();
      sources += original.length;
      bytes += (await picture(await content.add(original), '320x320.webp')).length;
    }
    console.log(`50 thumbnails: ${bytes} bytes, of ${sources} bytes of originals`);
    expect(bytes).toBeLessThan(1_500_000);
  }, 120_000);
});
