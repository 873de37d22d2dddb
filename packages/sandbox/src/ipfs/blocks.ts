import { exporter } from 'ipfs-unixfs-exporter';
import type { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';

/** Reads blocks; the stores of the field give one block as one or more pieces. */
export interface BlockSource {
  get(cid: CID): AsyncGenerator<Uint8Array>;
}

const identity = 0x00;

/** A CID with the identity hash carries its block in itself (`bafkqaaa`, the usual probe, is the empty one). */
export function withInlineBlocks(blocks: BlockSource): BlockSource {
  return {
    async *get(cid) {
      if (cid.multihash.code === identity) yield cid.multihash.digest;
      else yield* blocks.get(cid);
    },
  };
}

export async function readBlock(blocks: BlockSource, cid: CID): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of blocks.get(cid)) pieces.push(piece);
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
}

/** Every block below `root` once, parents first (depth first), one in memory at a time. */
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
 * The bytes `start` to `end` (exclusive) of a file, one block in memory at a time. The exporter's own
 * reader runs ahead of a slow client by the whole file.
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
