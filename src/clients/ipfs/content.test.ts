import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { CID } from 'multiformats/cid';
import { create } from 'multiformats/hashes/digest';
import { identity } from 'multiformats/hashes/identity';
import { describe, expect, it } from 'vitest';
import { failure } from '../../../test/_util/failure.ts';
import { closedPort } from '../../../test/_util/http-server.ts';
import { ipfsClient } from '../../../test/_util/ipfs-client.ts';
import { addBlock, addFile, type Blocks, serveBlocks } from '../../../test/_util/trustless-gateway.ts';
import type { IpfsFailure } from './ipfs.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

describe('content of one block', () => {
  it.each([
    ['raw', 0x55],
    ['json', 0x0200],
  ])('(%s) is requested as a raw block, verified, and cached', async (_name, codec) => {
    const blocks: Blocks = new Map();
    const cid = await addBlock(blocks, utf8('{"title":"Untitled"}'), codec);
    const server = await serveBlocks(blocks);
    const ipfs = ipfsClient([server.url]);
    expect(Buffer.from(await ipfs.cat(cid.toString())).toString()).toBe('{"title":"Untitled"}');
    expect(await ipfs.json(cid.toString())).toEqual({ document: { title: 'Untitled' }, bytes: 20 });
    expect(server.received).toHaveLength(1);
    expect(server.received[0]).toMatchObject({ url: `/ipfs/${cid}?format=raw` });
    expect(server.received[0]?.headers.accept).toBe('application/vnd.ipld.raw');
  });

  it('that does not match its CID is neither returned nor cached', async () => {
    const blocks: Blocks = new Map();
    const cid = await addBlock(blocks, utf8('right'));
    let lie = true;
    const server = await serveBlocks(blocks, {
      before: (_, response) => lie && !!response.end('wrong'),
    });
    const bad = ipfsClient([server.url]);
    expect(await failure<IpfsFailure>(bad.cat(cid.toString()))).toMatchObject({
      kind: 'HASH_MISMATCH',
      code: 'CONTENT_MISMATCH',
    });
    lie = false;
    expect(await ipfsClient([server.url]).cat(cid.toString())).toEqual(Buffer.from('right'));
  });

  it('is not kept in memory if its reader says so', async () => {
    const blocks: Blocks = new Map();
    const cid = await addBlock(blocks, utf8('a picture'));
    const server = await serveBlocks(blocks);
    const client = ipfsClient([server.url]);
    for (let n = 0; n < 2; n++) await client.cat(cid.toString(), { keepInMemory: false });
    expect(server.received).toHaveLength(2);
  });
});

it.each([
  ['CID v1', { cidVersion: 1 as const, rawLeaves: false }],
  ['CID v0', { cidVersion: 0 as const, rawLeaves: false }],
])(
  'a file of one block (%s) is verified even if the gateway returns the file instead of the block',
  async (_, file) => {
    const blocks: Blocks = new Map();
    for (const size of [1, 119, 130, 20_000]) {
      const content = randomBytes(size);
      const cid = await addFile(blocks, content, file);
      let answer = content;
      const server = await serveBlocks(blocks, {
        before: (_, response) => !!response.setHeader('content-type', 'application/json').end(answer),
      });
      expect(await ipfsClient([server.url]).cat(cid.toString())).toEqual(content);
      answer = Buffer.concat([content, utf8('!')]);
      expect(await failure<IpfsFailure>(ipfsClient([server.url]).cat(cid.toString()))).toMatchObject({
        kind: 'HASH_MISMATCH',
      });
    }
  },
);

describe('content that is embedded in its CID', () => {
  const embedded = (codec: number, bytes: Uint8Array) =>
    CID.createV1(codec, identity.digest(bytes)).toString();
  const nowhere = async () => ipfsClient([await closedPort()]);

  it('needs no gateway', async () => {
    const ipfs = await nowhere();
    expect(await ipfs.cat('bafkqaaa')).toHaveLength(0);
    const cid = embedded(0x55, utf8('{"title":"Untitled"}'));
    expect(await ipfs.json(cid)).toMatchObject({ document: { title: 'Untitled' } });
    expect(await failure<IpfsFailure>(ipfs.cat(cid, { maxBytes: 19 }))).toMatchObject({
      kind: 'TOO_LARGE',
    });
  });

  it('is the file, not the DAG-PB node that holds it', async () => {
    const file = utf8('a small file');
    // A DAG-PB node whose data is UnixFS: the type (file), the content and its size.
    const unixfs = [0x08, 0x02, 0x12, file.length, ...file, 0x18, file.length];
    const cid = embedded(0x70, Uint8Array.from([0x0a, unixfs.length, ...unixfs]));
    expect(await (await nowhere()).cat(cid)).toEqual(Buffer.from(file));
  });
});

/** A DAG-PB node of a UnixFS file that states one byte for each child. `name` is the name of each link. */
function nodeOf(children: readonly CID[], name = ''): Uint8Array {
  const varint = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...varint(n >> 7)]);
  const field = (tag: number, ...parts: Uint8Array[]) => {
    const all = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([tag, ...varint(all.length)]), all]);
  };
  const links = children.map(({ bytes }) =>
    field(0x12, field(0x0a, bytes), field(0x12, utf8(name)), Buffer.from([0x18, 0])),
  );
  const sizes = children.flatMap(() => [0x20, 1]);
  const unixfs = Buffer.from([0x08, 0x02, 0x18, ...varint(children.length), ...sizes]);
  return Buffer.concat([...links, field(0x0a, unixfs)]);
}

describe('a file of many blocks', () => {
  const content = randomBytes(1_000_000);
  const read = async (
    options: Parameters<typeof serveBlocks>[1],
    file: Parameters<typeof addFile>[2] = {},
  ) => {
    const blocks: Blocks = new Map();
    const cid = await addFile(blocks, content, file);
    const server = await serveBlocks(blocks, options);
    const bytes = await ipfsClient([server.url]).cat(cid.toString(), { maxBytes: content.length });
    return { cid, server, bytes };
  };

  it.each([
    ['CID v1', { cidVersion: 1 as const }],
    ['CID v0', { cidVersion: 0 as const, rawLeaves: false }],
  ])('(%s) is fetched as one CAR, and assembled', async (_version, file) => {
    const { bytes, server, cid } = await read({}, file);
    expect(Buffer.compare(bytes, content)).toBe(0);
    expect(server.received).toHaveLength(1);
    expect(server.received[0]?.url).toBe(`/ipfs/${cid}?format=car&dag-scope=entity`);
  });

  it('is fetched block by block from a gateway without CARs', async () => {
    const { bytes, server } = await read({ cars: false });
    expect(Buffer.compare(bytes, content)).toBe(0);
    expect(server.received.slice(1).every(({ url }) => url.endsWith('?format=raw'))).toBe(true);
    expect(server.received).toHaveLength(1 + 1 + 16);
  });

  it('whose CAR is truncated is completed block by block', async () => {
    const { bytes, server } = await read({ cutAfter: 5 });
    expect(Buffer.compare(bytes, content)).toBe(0);
    expect(server.received).toHaveLength(1 + 17 - 5);
  });

  it('of several levels is fetched as one CAR, too', async () => {
    const { bytes, server } = await read({}, { chunk: 4_096 });
    expect(Buffer.compare(bytes, content)).toBe(0);
    expect(server.received).toHaveLength(1);
  });

  it.each([
    ['the connection of its CAR breaks', 1_000, 100_000],
    ['its CAR is much longer than the file', 2_000_000, 2_000_000],
  ])('is fetched block by block when %s', async (_what, sent, length) => {
    const { bytes, server } = await read({
      before: (request, response) => {
        if (!request.url.includes('format=car')) return false;
        response
          .writeHead(200, { 'content-type': 'application/vnd.ipld.car', 'content-length': length })
          .write(Buffer.alloc(sent), () => response.destroy());
        return true;
      },
    });
    expect(Buffer.compare(bytes, content)).toBe(0);
    expect(server.received.filter(({ url }) => url.endsWith('?format=raw'))).toHaveLength(17);
  });

  it('in a CAR with one wrong block is rejected', async () => {
    const blocks: Blocks = new Map();
    const cid = await addFile(blocks, content);
    const [leaf] = [...blocks.values()].filter(({ cid: one }) => one.code === 0x55);
    // Of the right length: otherwise the file could not be assembled anyway.
    blocks.set('wrong', { cid: leaf?.cid as CID, bytes: randomBytes(leaf?.bytes.length ?? 0) });
    const server = await serveBlocks(blocks);
    expect(await failure<IpfsFailure>(ipfsClient([server.url]).cat(cid.toString()))).toMatchObject({
      kind: 'HASH_MISMATCH',
    });
  });

  it('is assembled from a CAR that also has unneeded blocks, even with an unknown hash', async () => {
    const blocks: Blocks = new Map();
    const cid = await addFile(blocks, content);
    const leaf = CID.createV1(0x55, identity.digest(utf8('embedded')));
    const blake = CID.createV1(0x55, create(0xb220, randomBytes(32)));
    for (const one of [leaf, blake]) blocks.set(one.toString(), { cid: one, bytes: utf8('embedded') });
    const server = await serveBlocks(blocks);
    const bytes = await ipfsClient([server.url]).cat(cid.toString());
    expect(Buffer.compare(bytes, content)).toBe(0);
  });

  it('that is too large is refused, whether it is fetched as a CAR or block by block', async () => {
    const blocks: Blocks = new Map();
    const cid = await addFile(blocks, content);
    for (const cars of [true, false]) {
      const { url } = await serveBlocks(blocks, { cars });
      const client = ipfsClient([url]);
      const read = (maxBytes: number) => client.cat(cid.toString(), { maxBytes });
      for (const maxBytes of [400_000, content.length - 1])
        expect(await failure<IpfsFailure>(read(maxBytes))).toMatchObject({ kind: 'TOO_LARGE' });
      // The same client reads it for a caller with a higher limit.
      expect(await read(content.length)).toHaveLength(content.length);
    }
  });

  it('whose leaves are longer than it states is read only up to its stated size', async () => {
    const blocks: Blocks = new Map();
    const leaves = await Promise.all(
      Array.from({ length: 100 }, () => addBlock(blocks, randomBytes(100_000))),
    );
    const cid = await addBlock(blocks, nodeOf(leaves), 0x70);
    // The delay lets all requests arrive before the first response.
    const server = await serveBlocks(blocks, { cars: false, before: () => delay(20, false) });
    expect(await ipfsClient([server.url]).cat(cid.toString())).toHaveLength(100);
    expect(server.received.length).toBeLessThan(20);
  });

  it('whose inner nodes are far longer than their content is too large', async () => {
    const blocks: Blocks = new Map();
    const leaf = await addBlock(blocks, utf8('a'));
    const nodes = await Promise.all(
      Array.from({ length: 100 }, () => {
        const padding = randomBytes(50_000).toString('hex');
        return addBlock(blocks, nodeOf([leaf], padding), 0x70);
      }),
    );
    const cid = await addBlock(blocks, nodeOf(nodes), 0x70);
    const server = await serveBlocks(blocks, { cars: false });
    const read = ipfsClient([server.url]).cat(cid.toString(), { maxBytes: 500_000 });
    expect(await failure<IpfsFailure>(read)).toMatchObject({ kind: 'TOO_LARGE' });
    expect(server.received.length).toBeLessThan(50);
  });

  it('that refers to one block again and again is too large', async () => {
    const blocks: Blocks = new Map();
    const leaf = await addBlock(blocks, utf8('a'));
    const cid = await addBlock(blocks, nodeOf(Array(25_000).fill(leaf)), 0x70);
    const server = await serveBlocks(blocks, { cars: false });
    const read = ipfsClient([server.url]).cat(cid.toString());
    expect(await failure<IpfsFailure>(read)).toMatchObject({ kind: 'TOO_LARGE' });
  });

  it.each([
    ['directory', [0x0a, 0x02, 0x08, 0x01]],
    ['symlink', [0x0a, 0x05, 0x08, 0x04, 0x12, 0x01, 0x61]],
  ])('that is a %s is NOT_FOUND', async (type, node) => {
    const blocks: Blocks = new Map();
    const cid = await addBlock(blocks, Uint8Array.from(node), 0x70);
    const server = await serveBlocks(blocks);
    expect(await failure<IpfsFailure>(ipfsClient([server.url]).cat(cid.toString()))).toMatchObject({
      kind: 'NOT_FOUND',
      cause: `it is a ${type}, not a file`,
    });
  });
});

it('the memory cache is limited in bytes, and evicts the least recently used content', async () => {
  const blocks: Blocks = new Map();
  const cids = await Promise.all([1, 2, 3].map(() => addBlock(blocks, randomBytes(20_000))));
  const [first, second, third] = cids.map(String) as [string, string, string];
  const server = await serveBlocks(blocks);
  const ipfs = ipfsClient([server.url], { memoryBytes: 100_000 });
  const requestsFor = async (cid: string) => {
    const before = server.received.length;
    await ipfs.cat(cid);
    return server.received.length - before;
  };
  // Three blocks take 60,000 bytes, and fit.
  expect([await requestsFor(first), await requestsFor(second), await requestsFor(third)]).toEqual([1, 1, 1]);
  expect(await requestsFor(first)).toBe(0);
  const more = await Promise.all([4, 5].map(() => addBlock(blocks, randomBytes(20_000))));
  for (const cid of more) await requestsFor(cid.toString());
  expect(await requestsFor(second)).toBe(1);
  const large = await addBlock(blocks, randomBytes(30_000));
  expect([await requestsFor(large.toString()), await requestsFor(large.toString())]).toEqual([1, 1]);
});

describe('many readers of the same content', () => {
  it('cause one request, even with CIDs of both versions', async () => {
    const blocks: Blocks = new Map();
    const v0 = await addFile(blocks, utf8('small'), { cidVersion: 0, rawLeaves: false });
    const server = await serveBlocks(blocks);
    const ipfs = ipfsClient([server.url]);
    const all = await Promise.all([v0, v0.toV1(), v0].map((cid) => ipfs.cat(cid.toString())));
    expect(all.every((bytes) => Buffer.from(bytes).toString() === 'small')).toBe(true);
    expect(server.received).toHaveLength(1);
  });

  it('share a request that is aborted only when the last of them disconnects', async () => {
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
    const ipfs = ipfsClient([server.url]);
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
