import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@srr-gateway/common/log';
import { CID } from 'multiformats/cid';
import { identity } from 'multiformats/hashes/identity';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { closedPort } from '../../../test/_util/http-server.ts';
import { addBlock, addFile, type Blocks, serveBlocks } from '../../../test/_util/trustless-gateway.ts';
import { createContentCache } from './disk-cache.ts';
import { createIpfs } from './ipfs.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const megabyte = 1_000_000;
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfs-cache-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
});

const content = randomBytes(300_000);
const small = new TextEncoder().encode('{"name":"Untitled"}');
const everything = 16 * megabyte;

/** The CIDs of one block and of one file of several blocks, in a cache that is closed. */
async function filled() {
  const blocks: Blocks = new Map();
  const cids = [await addBlock(blocks, small), await addFile(blocks, content)] as const;
  await inCache(async (cache) => {
    cache.write(cids[0], small);
    cache.write(cids[1], content);
  });
  return cids;
}

async function inCache<T>(
  work: (cache: ReturnType<typeof createContentCache>) => Promise<T>,
  maxBytes = 10 * megabyte,
) {
  const cache = createContentCache({ directory, maxBytes, log });
  try {
    return await work(cache);
  } finally {
    await cache.close();
  }
}

const read = (cid: CID, limit = everything) => inCache((cache) => cache.read(cid, limit));
const fileOf = async (cid: CID) => {
  const name = (await readdir(directory)).find((one) => one.startsWith(cid.toV1().toString()));
  return join(directory, name as string);
};

describe('content on the disk', () => {
  it('outlives the process, with one file for each CID', async () => {
    const [block, file] = await filled();
    expect(await readdir(directory)).toHaveLength(2);
    expect(await read(block)).toEqual(Buffer.from(small));
    expect(Buffer.compare((await read(file)) as Uint8Array, content)).toBe(0);
    expect(await read(file, 1_000)).toBeUndefined();
  });

  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['empty', () => Buffer.alloc(0)],
    [
      'one bit of it different',
      (bytes: Buffer) => Buffer.from(bytes.map((byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte))),
    ],
    ['longer', (bytes: Buffer) => Buffer.concat([bytes, bytes.subarray(0, 1)])],
  ])('that is %s is never returned, and is removed', async (_how, damaged) => {
    for (const cid of await filled()) {
      const path = await fileOf(cid);
      await writeFile(path, damaged(await readFile(path)));
      expect(await read(cid)).toBeUndefined();
      expect(await stat(path).catch(() => 'gone')).toBe('gone');
    }
  });

  it('that is one byte longer than its reader allows is neither read nor removed', async () => {
    const [block, file] = await filled();
    expect(await read(block, small.length - 1)).toBeUndefined();
    expect(await read(file, content.length - 1)).toBeUndefined();
    expect(await read(block, small.length)).toEqual(Buffer.from(small));
    expect(await read(file, content.length)).toHaveLength(content.length);
  });

  it('of another CID is not returned', async () => {
    const [block, file] = await filled();
    await writeFile(await fileOf(block), await readFile(await fileOf(file)));
    expect(await read(block)).toBeUndefined();
  });

  it('stays within its size limit, and the least recently used content is evicted first', async () => {
    const blocks: Blocks = new Map();
    const pieces = Array.from({ length: 40 }, () => randomBytes(100_000));
    const cids = await Promise.all(pieces.map((piece) => addBlock(blocks, piece)));
    for (const [i, piece] of pieces.slice(0, 20).entries()) {
      await inCache(async (cache) => cache.write(cids[i] as CID, piece), 3 * megabyte);
      const path = await fileOf(cids[i] as CID);
      await utimes(path, new Date(i * 1_000), new Date(i * 1_000));
    }
    // This read makes it the most recently used.
    expect(await inCache((cache) => cache.read(cids[0] as CID, everything), 3 * megabyte)).toHaveLength(
      100_000,
    );
    await inCache(async (cache) => {
      for (const [i, piece] of pieces.slice(20).entries()) cache.write(cids[20 + i] as CID, piece);
    }, 3 * megabyte);
    const sizes = await Promise.all(
      (await readdir(directory)).map(async (name) => (await stat(join(directory, name))).size),
    );
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeLessThanOrEqual(3 * megabyte);
    expect(total).toBeGreaterThan(2 * megabyte);
    expect(await read(cids[0] as CID)).toHaveLength(100_000);
    expect(await read(cids[1] as CID)).toBeUndefined();
  });

  it('is not written when it is too large, or too much waits for the disk', async () => {
    const blocks: Blocks = new Map();
    const pieces = await Promise.all(
      [1, 2, 3, 4, 5].map(async (byte) => {
        const bytes = Buffer.alloc(8 * 1024 * 1024, byte);
        return { bytes, cid: await addBlock(blocks, bytes) };
      }),
    );
    const [first] = pieces as [(typeof pieces)[0]];
    await inCache(async (cache) => cache.write(first.cid, first.bytes), 4 * first.bytes.length - 1);
    expect(await readdir(directory)).toEqual([]);
    await inCache(async (cache) => {
      for (const { cid, bytes } of pieces) cache.write(cid, bytes);
      await cache.close();
      expect(await readdir(directory)).toHaveLength(4);
      for (const { cid, bytes } of pieces.toReversed()) cache.write(cid, bytes);
    }, 100 * megabyte);
    expect(await readdir(directory)).toHaveLength(5);
  });

  it('leaves no partial file when it cannot be written', async () => {
    const cid = await addBlock(new Map(), small);
    await mkdir(join(directory, `${cid}.content/in-the-way`), { recursive: true });
    await inCache(async (cache) => cache.write(cid, small));
    expect(await readdir(directory)).toEqual([`${cid}.content`]);
  });

  it('counts as whole blocks of the file system, which matters for many small files', async () => {
    const blocks: Blocks = new Map();
    await inCache(async (cache) => {
      for (let n = 0; n < 40; n++) {
        const bytes = randomBytes(10);
        cache.write(await addBlock(blocks, bytes), bytes);
      }
    }, 16 * 4_096);
    expect((await readdir(directory)).length).toBeLessThanOrEqual(16);
  });

  it('is shared by several processes that write the same or different content', async () => {
    const blocks: Blocks = new Map();
    const pieces = Array.from({ length: 30 }, () => randomBytes(50_000));
    const cids = await Promise.all(pieces.map((piece) => addBlock(blocks, piece)));
    await Promise.all(
      [0, 1, 2].map(() =>
        inCache(async (cache) => {
          for (const [i, piece] of pieces.entries()) {
            cache.write(cids[i] as CID, piece);
            const seen = await cache.read(cids[i] as CID, everything);
            expect(seen === undefined || Buffer.compare(seen, piece) === 0).toBe(true);
          }
        }),
      ),
    );
    expect((await readdir(directory)).filter((name) => name.endsWith('.content'))).toHaveLength(30);
    expect((await readdir(directory)).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  it('shares its directory with foreign files, and removes temporary files of a dead writer', async () => {
    await writeFile(join(directory, 'notes.txt'), 'mine');
    await mkdir(join(directory, 'bafkreiabc.content'));
    const left = join(directory, 'bafkreiabc.0-1.partial');
    const young = join(directory, 'bafkreiabc.0-2.partial');
    await writeFile(left, 'half');
    await writeFile(young, 'half');
    await utimes(left, new Date(0), new Date(0));
    const lines: string[] = [];
    const telling = pino({}, { write: (line) => void lines.push(line) });
    await createContentCache({ directory, maxBytes: 1, log: telling }).close();
    expect(lines).toEqual([]);
    expect((await readdir(directory)).sort()).toEqual([
      'bafkreiabc.0-2.partial',
      'bafkreiabc.content',
      'notes.txt',
    ]);
  });
});

it('a failure to write is logged once, and again only after a write that worked', async () => {
  const lines: string[] = [];
  const telling = pino({}, { write: (line) => void lines.push(line) });
  const blocks: Blocks = new Map();
  const write = async () => {
    const bytes = randomBytes(10);
    cache.write(await addBlock(blocks, bytes), bytes);
    await cache.close();
  };
  const cache = createContentCache({ directory, maxBytes: megabyte, log: telling });
  await cache.close();
  await rm(directory, { recursive: true });
  for (let n = 0; n < 3; n++) await write();
  expect(lines).toHaveLength(1);
  await mkdir(directory);
  await write();
  await rm(directory, { recursive: true });
  for (let n = 0; n < 3; n++) await write();
  expect(lines).toHaveLength(2);
});

describe('a reader of content', () => {
  it('requests no content from a gateway that an earlier process has cached', async () => {
    const blocks: Blocks = new Map();
    const cid = (await addFile(blocks, content)).toString();
    const gateway = await serveBlocks(blocks);
    const disk = { directory, maxBytes: 10 * megabyte };
    const first = createIpfs({ gateways: [gateway.url], log, disk });
    await first.cat(cid);
    await first.close();
    const second = createIpfs({ gateways: [await closedPort()], log, disk });
    expect(Buffer.compare(await second.cat(cid), content)).toBe(0);
    await second.close();
  });

  it('writes no file for a CID that embeds its content, which may be too long for a filename', async () => {
    const lines: string[] = [];
    const ipfs = createIpfs({
      gateways: [await closedPort()],
      log: pino({}, { write: (line) => void lines.push(line) }),
      disk: { directory, maxBytes: megabyte },
    });
    const cid = CID.createV1(0x55, identity.digest(randomBytes(300)));
    expect(await ipfs.cat(cid.toString())).toHaveLength(300);
    // A DAG-PB node whose data is UnixFS: the type (file), the content and its size.
    const unixfs = [0x08, 0x02, 0x12, 100, ...randomBytes(100), 0x18, 100];
    const node = CID.createV1(0x70, identity.digest(Uint8Array.from([0x0a, unixfs.length, ...unixfs])));
    expect(await ipfs.cat(node.toString())).toHaveLength(100);
    await ipfs.close();
    expect(await readdir(directory)).toEqual([]);
    expect(lines).toEqual([]);
  });

  it.each([
    ['a file is in its way', () => join(directory, 'a-file/below')],
    ['its file system allows no directory', () => '/proc/none/below'],
  ])('works without the directory when %s, and logs that once', async (_, pathOf) => {
    const blocks: Blocks = new Map();
    const cids = await Promise.all([1, 2].map(() => addBlock(blocks, randomBytes(10))));
    await writeFile(join(directory, 'a-file'), '');
    const lines: string[] = [];
    const telling = pino({}, { write: (line) => void lines.push(line) });
    const gateway = await serveBlocks(blocks);
    const disk = { directory: pathOf(), maxBytes: megabyte };
    const ipfs = createIpfs({ gateways: [gateway.url], log: telling, disk });
    for (const cid of cids) expect(await ipfs.cat(cid.toString())).toHaveLength(10);
    await ipfs.close();
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: 40,
        directory: disk.directory,
        msg: expect.stringContaining('in memory only'),
      }),
    ]);
  });
});
