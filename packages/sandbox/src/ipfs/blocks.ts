import { exporter } from 'ipfs-unixfs-exporter';
import type { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';

/** Reads blocks, with the interface of blockstore libraries: a block comes in one or more pieces. */
export interface BlockSource {
  get(cid: CID): AsyncGenerator<Uint8Array>;
}

const identity = 0x00;

/**
 * Also reads CIDs with the identity hash, which contain their block;
 * `bafkqaaa`, the usual probe, is the empty one.
 */
export function withInlineBlocks(blocks: BlockSource): BlockSource {
  return {
    async *get(cid) {
      if (cid.multihash.code === identity) yield cid.multihash.digest;
      else yield* blocks.get(cid);
    },
  };
}

/** Reads a whole block into memory; throws what the source throws when it is missing. */
export async function readBlock(blocks: BlockSource, cid: CID): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of blocks.get(cid)) pieces.push(piece);
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
}

/**
 * Walks `root` and every block below it, each once, depth first (parents first), with one block in memory.
 */
export async function* walkBlocks(
  blocks: BlockSource,
  root: CID,
): AsyncGenerator<{ cid: CID; bytes: Uint8Array }> {
  const seen = new Set<string>();
  const open = [root];
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    if (seen.has(cid.toString())) continue;
    seen.add(cid.toString());
    yield { cid, bytes: await readBlock(blocks, cid) };
    open.push(...(await childrenOf(blocks, cid)).reverse());
  }
}

async function childrenOf(blocks: BlockSource, cid: CID): Promise<CID[]> {
  if (cid.code === raw.code) return [];
  const entry = await exporter(cid, blocks);
  return entry.type === 'file' || entry.type === 'directory' ? entry.node.Links.map((link) => link.Hash) : [];
}

/**
 * Reads the bytes from `start` to `end` (exclusive) of a file, with one block in memory at a time. The
 * exporter's own reader does not wait for a slow client and can hold the whole file in memory.
 */
export async function* readBytes(
  blocks: BlockSource,
  cid: CID,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  if (end <= start) return;
  const entry = cid.code === raw.code ? undefined : await exporter(cid, blocks);
  if (entry?.type !== 'file') {
    yield (await readBlock(blocks, cid)).subarray(start, end);
    return;
  }
  const inline = entry.unixfs.data ?? new Uint8Array();
  if (start < inline.length) yield inline.subarray(start, end);
  let childStart = inline.length;
  for (const [index, { Hash }] of entry.node.Links.entries()) {
    const childEnd = childStart + Number(entry.unixfs.blockSizes[index] ?? 0);
    const [from, to] = [Math.max(start, childStart), Math.min(end, childEnd)];
    if (from < to) yield* readBytes(blocks, Hash, from - childStart, to - childStart);
    childStart = childEnd;
  }
}
