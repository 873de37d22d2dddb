import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silent } from '@srr-gateway/common/testing/database';
import { base36 } from 'multiformats/bases/base36';
import { base58btc } from 'multiformats/bases/base58';
import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import { sha256 } from 'multiformats/hashes/sha2';
import sharp from 'sharp';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ipfsClient } from '../../test/_util/ipfs-client.ts';
import { addFile, type Blocks, serveBlocks } from '../../test/_util/trustless-gateway.ts';
import { IpfsFailure, type IpfsReader } from '../clients/ipfs/ipfs.ts';
import { Pictures } from './pictures.ts';
import { Resizer } from './resizer.ts';

const variant = { width: 320, height: 320, format: 'webp' } as const;

let count = 0;
const cids = async (length: number): Promise<CID[]> =>
  Promise.all(
    Array.from({ length }, async () =>
      CID.createV1(raw.code, await sha256.digest(Buffer.from(`${count++}`))),
    ),
  );

/** Pictures whose sources stay requested until `release`, and are then not found. */
function pendingPictures() {
  const requested: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const cat: IpfsReader['cat'] = async (cid) => {
    requested.push(cid);
    await released;
    throw new IpfsFailure('NOT_FOUND');
  };
  const pictures = new Pictures({ ipfs: { cat } as IpfsReader, disk: undefined, log: silent });
  onTestFinished(() => pictures.close());
  return { pictures, requested, release };
}

it('callers that disconnect while they wait do not block callers behind them', async () => {
  const { pictures, requested, release } = pendingPictures();
  const staying = new AbortController();
  const leaving = new AbortController();
  const get = (cid: CID, { signal } = staying) => pictures.get(cid, variant, signal).catch((error) => error);
  const loading = (await cids(8)).map((cid) => get(cid));
  const left = (await cids(20)).map((cid) => get(cid, leaving));
  const [last] = await cids(1);
  const behind = get(last as CID);
  await vi.waitUntil(() => requested.length === 8);
  leaving.abort();
  await Promise.all(left);
  release();
  await Promise.all(loading);
  await vi.waitUntil(() => requested.includes(String(last)));
  expect(await behind).toMatchObject({ code: 'NOT_FOUND' });
  expect(requested).toHaveLength(9);
});

it('a caller address that requests content that no gateway has cannot occupy all slots', async () => {
  const { pictures, requested, release } = pendingPictures();
  const { signal } = new AbortController();
  const get = (cid: CID, address: string) =>
    pictures.get(cid, variant, signal, address).catch((error) => error);
  const waiting = (await cids(1_004)).map((cid) => get(cid, '192.0.2.1'));
  // An address is refused when it has too many requests waiting.
  expect(await waiting.pop()).toMatchObject({ status: 503 });
  await vi.waitUntil(() => requested.length === 3);
  const [other] = await cids(1);
  const next = [get(other as CID, '192.0.2.2'), get(other as CID, '192.0.2.1')];
  await vi.waitUntil(() => requested.includes(String(other)));
  expect(requested).toHaveLength(4);
  release();
  expect((await Promise.all([...waiting, ...next])).at(-2)).toMatchObject({ code: 'NOT_FOUND' });
});

it('a picture that took too long is not tried again soon, but another size of it is', async () => {
  const resize = vi.spyOn(Resizer.prototype, 'resize').mockResolvedValue({ fault: 'TOO_SLOW' });
  onTestFinished(() => resize.mockRestore());
  const ipfs = { cat: async () => new Uint8Array() } as unknown as IpfsReader;
  const pictures = new Pictures({ ipfs, disk: undefined, log: silent });
  onTestFinished(() => pictures.close());
  const [cid] = (await cids(1)) as [CID];
  const { signal } = new AbortController();
  const sizes = [];
  for (const width of [320, 320, 160] as const) {
    await expect(pictures.get(cid, { ...variant, width }, signal)).rejects.toMatchObject({ status: 503 });
    sizes.push(resize.mock.lastCall?.[0].width, resize.mock.calls.length);
  }
  expect(sizes).toEqual([320, 1, 320, 1, 160, 2]);
});

it('a picture is made once for all notations of its CID, but not for the CID of its raw block', async () => {
  const blocks: Blocks = new Map();
  const jpeg = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#888' } })
    .jpeg()
    .toBuffer();
  const v0 = await addFile(blocks, jpeg, { cidVersion: 0, rawLeaves: false });
  const [v1, block] = [v0.toV1(), CID.createV1(raw.code, v0.multihash)];
  const bytes = blocks.get(v0.toString())?.bytes as Uint8Array;
  for (const cid of [v1, block]) blocks.set(cid.toString(), { cid, bytes });
  const server = await serveBlocks(blocks);
  const pictures = new Pictures({ ipfs: ipfsClient([server.url]), disk: undefined, log: silent });
  onTestFinished(() => pictures.close());
  const { signal } = new AbortController();
  const texts = [v0.toString(), v1.toString(), v1.toString(base36), v1.toString(base58btc)];
  for (const text of texts) await pictures.get(CID.parse(text), variant, signal);
  expect(server.received).toHaveLength(1);
  for (const text of texts)
    expect(pictures.factsOf(`ipfs://${text}`)).toEqual({ contentType: 'image/jpeg', width: 64, height: 48 });
  await expect(pictures.get(block, variant, signal)).rejects.toMatchObject({ status: 415 });
});

it('a picture whose file was damaged is made again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pictures-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const create = { width: 40, height: 40, channels: 3 as const, background: '#123456' };
  const bytes = await sharp({ create }).png().toBuffer();
  const ipfs = { cat: async () => bytes } as unknown as IpfsReader;
  const [cid] = (await cids(1)) as [CID];
  const get = async () => {
    const pictures = new Pictures({ ipfs, disk: { directory, maxBytes: 1_000_000 }, log: silent });
    onTestFinished(() => pictures.close());
    const { bytes } = await pictures.get(cid, variant, new AbortController().signal);
    await pictures.close();
    return Buffer.from(bytes);
  };
  const made = await get();
  const [name] = readdirSync(directory) as [string];
  const stored = readFileSync(join(directory, name));
  writeFileSync(join(directory, name), stored.fill(0, stored.length - 9));
  expect((await get()).equals(made)).toBe(true);
});
