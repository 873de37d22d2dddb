import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { CID } from 'multiformats/cid';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failure } from '../../test/_util/failure.ts';
import { closedPort, serve } from '../../test/_util/http-server.ts';
import { addBlock, addFile, type Blocks, serveBlocks } from '../../test/_util/trustless-gateway.ts';
import { createLogger } from '../lib/log.ts';
import { createIpfs, type IpfsFailure, type IpfsOptions } from './ipfs.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const utf8 = (text: string) => new TextEncoder().encode(text);

function clientOf(gateways: string[], options: Partial<IpfsOptions> = {}) {
  const ipfs = createIpfs({ gateways, log, ...options });
  onTestFinished(() => ipfs.close());
  return ipfs;
}
const status = (code: number) => serve((_, response: ServerResponse) => response.writeHead(code).end());

describe('content of one block', () => {
  it.each([
    ['raw', 0x55],
    ['json', 0x0200],
  ])('(%s) is asked for as a raw block, checked, and kept', async (_name, codec) => {
    const blocks: Blocks = new Map();
    const cid = await addBlock(blocks, utf8('{"title":"Untitled"}'), codec);
    const server = await serveBlocks(blocks);
    const ipfs = clientOf([server.url]);
    expect(Buffer.from(await ipfs.cat(cid.toString())).toString()).toBe('{"title":"Untitled"}');
    expect(await ipfs.json(cid.toString())).toEqual({ title: 'Untitled' });
    expect(server.received).toHaveLength(1);
    expect(server.received[0]).toMatchObject({ url: `/ipfs/${cid}?format=raw` });
    expect(server.received[0]?.headers.accept).toBe('application/vnd.ipld.raw');
  });

  it('that is not what the CID says is never seen, nor cached', async () => {
    const blocks: Blocks = new Map();
    const cid = await addBlock(blocks, utf8('right'));
    let lie = true;
    const server = await serveBlocks(blocks, {
      before: (_, response) => lie && !!response.end('wrong'),
    });
    const bad = clientOf([server.url]);
    expect(await failure<IpfsFailure>(bad.cat(cid.toString()))).toMatchObject({
      reason: 'HASH_MISMATCH',
      code: 'CONTENT_MISMATCH',
    });
    lie = false;
    expect(await clientOf([server.url]).cat(cid.toString())).toEqual(Buffer.from('right'));
  });

  it('inside the CID itself needs no gateway', async () => {
    expect(await clientOf([await closedPort()]).cat('bafkqaaa')).toHaveLength(0);
  });
});

describe('a file of many blocks', () => {
  const content = randomBytes(1_000_000);
  const read = async (
    options: Parameters<typeof serveBlocks>[1],
    file: Parameters<typeof addFile>[2] = {},
  ) => {
    const blocks: Blocks = new Map();
    const cid = await addFile(blocks, content, file);
    const server = await serveBlocks(blocks, options);
    return { cid, server, bytes: await clientOf([server.url]).cat(cid.toString()) };
  };

  it.each([
    ['CID v1', { cidVersion: 1 as const }],
    ['CID v0', { cidVersion: 0 as const, rawLeaves: false }],
  ])('(%s) comes as one CAR and is put together', async (_version, file) => {
    const { bytes, server, cid } = await read({}, file);
    expect(Buffer.compare(bytes, content)).toBe(0);
    expect(server.received).toHaveLength(1);
    expect(server.received[0]?.url).toBe(`/ipfs/${cid}?format=car&dag-scope=entity`);
  });

  it('from a gateway without CARs comes block by block', async () => {
    const { bytes, server } = await read({ cars: false });
    expect(Buffer.compare(bytes, content)).toBe(0);
    expect(server.received.slice(1).every(({ url }) => url.endsWith('?format=raw'))).toBe(true);
    expect(server.received).toHaveLength(1 + 1 + 16);
  });

  it('in a CAR that is cut short is completed block by block', async () => {
    const { bytes, server } = await read({ cutAfter: 5 });
    expect(Buffer.compare(bytes, content)).toBe(0);
    expect(server.received).toHaveLength(1 + 17 - 5);
  });

  it('of several levels comes as one CAR, too', async () => {
    const { bytes, server } = await read({}, { chunk: 4_096 });
    expect(Buffer.compare(bytes, content)).toBe(0);
    expect(server.received).toHaveLength(1);
  });

  it('in a CAR whose connection breaks off is fetched block by block', async () => {
    const { bytes, server } = await read({
      before: (request, response) =>
        request.url.includes('format=car') &&
        response.writeHead(200, { 'content-type': 'application/vnd.ipld.car', 'content-length': 100_000 }) &&
        response.write(Buffer.alloc(1_000), () => response.destroy()),
    });
    expect(Buffer.compare(bytes, content)).toBe(0);
    expect(server.received.filter(({ url }) => url.endsWith('?format=raw'))).toHaveLength(17);
  });

  it('in a CAR with one wrong block is thrown away', async () => {
    const blocks: Blocks = new Map();
    const cid = await addFile(blocks, content);
    const [leaf] = [...blocks.values()].filter(({ cid: one }) => one.code === 0x55);
    blocks.set('wrong', { cid: leaf?.cid as CID, bytes: utf8('wrong') });
    const server = await serveBlocks(blocks);
    expect(await failure<IpfsFailure>(clientOf([server.url]).cat(cid.toString()))).toMatchObject({
      reason: 'HASH_MISMATCH',
    });
  });

  it('larger than allowed is refused, whichever way it comes', async () => {
    const blocks: Blocks = new Map();
    const cid = await addFile(blocks, content);
    for (const cars of [true, false]) {
      const server = await serveBlocks(blocks, { cars });
      const error = await failure<IpfsFailure>(
        clientOf([server.url]).cat(cid.toString(), { maxBytes: 400_000 }),
      );
      expect(error).toMatchObject({ reason: 'TOO_LARGE' });
    }
  });

  it('that is no file at all is not found as one', async () => {
    const blocks: Blocks = new Map();
    // An empty unixfs directory: dag-pb data of type directory.
    const cid = await addBlock(blocks, Uint8Array.from([0x0a, 0x02, 0x08, 0x01]), 0x70);
    const server = await serveBlocks(blocks);
    expect(await failure<IpfsFailure>(clientOf([server.url]).cat(cid.toString()))).toMatchObject({
      reason: 'NOT_FOUND',
    });
  });
});

it('the memory for content is bounded by bytes: what was not used for longest is asked for again', async () => {
  const blocks: Blocks = new Map();
  const cids = await Promise.all([1, 2, 3].map(() => addBlock(blocks, randomBytes(20_000))));
  const [first, second, third] = cids.map(String) as [string, string, string];
  const server = await serveBlocks(blocks);
  const ipfs = clientOf([server.url], { memoryBytes: 100_000 });
  const asked = async (cid: string) => {
    const before = server.received.length;
    await ipfs.cat(cid);
    return server.received.length - before;
  };
  // Three take 60,000 bytes and fit.
  expect([await asked(first), await asked(second), await asked(third)]).toEqual([1, 1, 1]);
  expect(await asked(first)).toBe(0);
  const more = await Promise.all([4, 5].map(() => addBlock(blocks, randomBytes(20_000))));
  for (const cid of more) await asked(cid.toString());
  expect(await asked(second)).toBe(1);
  const large = await addBlock(blocks, randomBytes(30_000));
  expect([await asked(large.toString()), await asked(large.toString())]).toEqual([1, 1]);
});

describe('several gateways', () => {
  const setUp = async () => {
    const blocks: Blocks = new Map();
    const cid = await addBlock(blocks, utf8('content'));
    return { blocks, cid: cid.toString(), good: await serveBlocks(blocks) };
  };

  it.each([
    ['is down', () => closedPort()],
    ['fails', async () => (await status(500)).url],
    ['withholds it', async () => (await status(451)).url],
    ['does not have it', async () => (await status(404)).url],
    ['lies', async () => (await serve((_, response) => response.end('lie'))).url],
    [
      'redirects elsewhere',
      async () =>
        (
          await serve((_, response) =>
            response.writeHead(302, { location: 'http://169.254.169.254/x' }).end(),
          )
        ).url,
    ],
  ])('give it even when the first one %s', async (_what, first) => {
    const { cid, good } = await setUp();
    expect(await clientOf([await first(), good.url]).cat(cid)).toEqual(Buffer.from('content'));
  });

  it('race when the first one is silent, and the loser is stopped', async () => {
    const { cid, good } = await setUp();
    let closed = false;
    const silent = await serve((_, response) =>
      response.on('close', () => {
        closed = true;
      }),
    );
    const started = Date.now();
    await clientOf([silent.url, good.url], { hedgeMs: 50 }).cat(cid);
    expect(Date.now() - started).toBeLessThan(1_000);
    await expect.poll(() => closed).toBe(true);
  });

  it('are not asked when the first one answers in time', async () => {
    const { cid, good, blocks } = await setUp();
    const spare = await serveBlocks(blocks);
    await clientOf([good.url, spare.url], { hedgeMs: 5_000 }).cat(cid);
    expect(spare.received).toHaveLength(0);
  });

  it('all without it: NOT_FOUND only if all say so', async () => {
    const { cid } = await setUp();
    const [none, late] = [await status(404), await status(504)];
    expect(await failure<IpfsFailure>(clientOf([none.url, none.url]).cat(cid))).toMatchObject({
      reason: 'NOT_FOUND',
    });
    expect(await failure<IpfsFailure>(clientOf([none.url, late.url]).cat(cid))).toMatchObject({
      reason: 'TIMEOUT',
    });
  });
});

describe('content that cannot be had', () => {
  const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku';

  it.each([
    [404, 'NOT_FOUND', 'NOT_FOUND'],
    [410, 'BLOCKED', 'UPSTREAM_BAD_RESPONSE'],
    [451, 'BLOCKED', 'UPSTREAM_BAD_RESPONSE'],
    [413, 'TOO_LARGE', 'FILE_TOO_LARGE'],
    [504, 'TIMEOUT', 'UPSTREAM_TIMEOUT'],
    [429, 'UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'],
    [502, 'UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'],
  ])('after status %i is %s', async (code, reason, errorCode) => {
    const server = await status(code);
    const error = await failure<IpfsFailure>(clientOf([server.url]).cat(cid));
    expect(error).toMatchObject({ name: 'IpfsFailure', reason, code: errorCode, upstream: 'IPFS' });
  });

  it('in time is TIMEOUT', async () => {
    const server = await serve(() => {});
    expect(await failure<IpfsFailure>(clientOf([server.url], { timeoutMs: 100 }).cat(cid))).toMatchObject({
      reason: 'TIMEOUT',
    });
  });

  it('because it goes on for ever is TOO_LARGE', async () => {
    const server = await serve((_, response) => {
      const piece = Buffer.alloc(64 * 1024);
      const more = () =>
        response.destroyed || (response.write(piece) ? setImmediate(more) : response.once('drain', more));
      more();
    });
    expect(
      await failure<IpfsFailure>(clientOf([server.url]).cat(cid, { maxBytes: 1_000_000 })),
    ).toMatchObject({
      reason: 'TOO_LARGE',
    });
  });

  it('because the text is no CID is NOT_FOUND without asking', async () => {
    const server = await status(500);
    expect(await failure<IpfsFailure>(clientOf([server.url]).cat('0x12'))).toMatchObject({
      reason: 'NOT_FOUND',
    });
    expect(server.received).toHaveLength(0);
  });

  it('is not asked for again for a moment', async () => {
    const server = await status(404);
    const ipfs = clientOf([server.url]);
    await failure<IpfsFailure>(ipfs.cat(cid));
    expect(await failure<IpfsFailure>(ipfs.cat(cid))).toMatchObject({ reason: 'NOT_FOUND' });
    expect(server.received).toHaveLength(1);
  });

  it('as JSON is INVALID_JSON, for good', async () => {
    const blocks: Blocks = new Map();
    const text = await addBlock(blocks, utf8('not json'));
    const bytes = await addBlock(blocks, Uint8Array.from([0x22, 0xff, 0x22]));
    const ipfs = clientOf([(await serveBlocks(blocks)).url]);
    expect(await failure<IpfsFailure>(ipfs.json(text.toString()))).toMatchObject({ reason: 'INVALID_JSON' });
    expect(await failure<IpfsFailure>(ipfs.json(bytes.toString()))).toMatchObject({ reason: 'INVALID_JSON' });
  });
});

describe('redirects', () => {
  it('within the gateway are followed, a few', async () => {
    const blocks: Blocks = new Map();
    const cid = await addBlock(blocks, utf8('content'));
    const server = await serveBlocks(blocks, {
      before: (request, response) =>
        request.url.startsWith('/base/') &&
        !!response.writeHead(307, { location: request.url.replace('/base', '') }).end(),
    });
    expect(await clientOf([`${server.url}/base`]).cat(cid.toString())).toEqual(Buffer.from('content'));
    const circle = await serve((request, response) =>
      response.writeHead(302, { location: request.url }).end(),
    );
    expect(await failure<IpfsFailure>(clientOf([circle.url]).cat(cid.toString()))).toMatchObject({
      reason: 'BLOCKED',
    });
    expect(circle.received).toHaveLength(4);
  });

  it.each([
    ['the address of credentials in clouds', () => 'http://169.254.169.254/latest/meta-data'],
    ['another port of this machine', async () => (await serve((_, response) => response.end('{}'))).url],
    ['this machine in disguise', () => 'http://[::ffff:127.0.0.1]/'],
    ['this machine by a number', () => 'http://2130706433/'],
    ['a name of this machine', () => 'http://localhost:1/'],
    ['a private network', () => 'http://10.0.0.1/'],
    ['a file', () => 'file:///etc/passwd'],
    ['somewhere with a password', () => 'https://name:password@example.com/'],
  ])('to %s are refused before anything is sent', async (_what, target) => {
    const location = await target();
    const server = await serve((_, response) => response.writeHead(302, { location }).end());
    const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku';
    expect(await failure<IpfsFailure>(clientOf([server.url]).cat(cid))).toMatchObject({ reason: 'BLOCKED' });
    expect(server.received).toHaveLength(1);
  });

  it('to another gateway of the configuration are followed', async () => {
    const blocks: Blocks = new Map();
    const cid = await addBlock(blocks, utf8('content'));
    const mirror = await serveBlocks(blocks);
    const server = await serve((request, response) =>
      response.writeHead(301, { location: `${mirror.url}${request.url}` }).end(),
    );
    const ipfs = clientOf([server.url, mirror.url], { hedgeMs: 60_000 });
    expect(await ipfs.cat(cid.toString())).toEqual(Buffer.from('content'));
    expect(server.received).toHaveLength(1);
  });
});

describe('many readers of the same content', () => {
  it('cause one request, also by CIDs of either version', async () => {
    const blocks: Blocks = new Map();
    const v0 = await addFile(blocks, utf8('small'), { cidVersion: 0, rawLeaves: false });
    const server = await serveBlocks(blocks);
    const ipfs = clientOf([server.url]);
    const all = await Promise.all([v0, v0.toV1(), v0].map((cid) => ipfs.cat(cid.toString())));
    expect(all.every((bytes) => Buffer.from(bytes).toString() === 'small')).toBe(true);
    expect(server.received).toHaveLength(1);
  });

  it('may leave; the request ends when the last one has left', async () => {
    const blocks: Blocks = new Map();
    const cid = (await addBlock(blocks, utf8('content'))).toString();
    let go = () => {};
    let closed = 0;
    const server = await serveBlocks(blocks, {
      before: (_, response) => {
        response.on('close', () => closed++);
        return new Promise((resolve) => {
          go = () => resolve(false);
        });
      },
    });
    const ipfs = clientOf([server.url]);
    const leaver = new AbortController();
    const reason = new Error('left');
    const left = failure<IpfsFailure>(ipfs.cat(cid, { signal: leaver.signal }));
    const stayed = ipfs.cat(cid);
    await expect.poll(() => server.received.length).toBe(1);
    leaver.abort(reason);
    expect(await left).toBe(reason);
    go();
    expect(await stayed).toEqual(Buffer.from('content'));

    const alone = new AbortController();
    const other = (await addBlock(blocks, utf8('other'))).toString();
    const gone = failure<IpfsFailure>(ipfs.cat(other, { signal: alone.signal }));
    await expect.poll(() => server.received.length).toBe(2);
    alone.abort(reason);
    expect(await gone).toBe(reason);
    await expect.poll(() => closed).toBe(2);
  });
});

describe('the health of the gateways', () => {
  it('is told by the empty content', async () => {
    const good = await serveBlocks(new Map());
    const bad = await status(404);
    expect(await clientOf([good.url]).check()).toEqual({ health: 'OK' });
    expect(await clientOf([bad.url, good.url]).check()).toMatchObject({ health: 'DEGRADED' });
    expect(await clientOf([bad.url, await closedPort()]).check()).toMatchObject({ health: 'DOWN' });
  });
});

it('a reference is shown at the preferred gateway, however it was written', () => {
  const ipfs = clientOf(['https://cdn.test/', 'https://other.test']);
  const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku';
  expect(ipfs.url(cid)).toBe(`https://cdn.test/ipfs/${cid}`);
  expect(ipfs.reference(`ipfs://${cid}/a.png`)).toEqual({
    cid,
    path: '/a.png',
    url: `https://cdn.test/ipfs/${cid}/a.png`,
  });
  expect(ipfs.reference('https://example.test/a.png')).toBeUndefined();
});
