import { importer } from 'ipfs-unixfs-importer';
import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import { sha256 } from 'multiformats/hashes/sha2';

/** The root of a file and the blocks below it. */
export interface Tree {
  cid: string;
  blocks: Map<string, Uint8Array>;
}

/** Splits content into blocks, with CID v1 and raw leaves, so that a small file is one block. */
export async function treeOf(content: Uint8Array): Promise<Tree> {
  const blocks = new Map<string, Uint8Array>();
  const store = {
    put(cid: CID, bytes: unknown) {
      blocks.set(cid.toString(), bytes as Uint8Array);
      return cid;
    },
  };
  let root: CID | undefined;
  const options = { cidVersion: 1 as const, rawLeaves: true };
  for await (const file of importer([{ content }], store as never, options)) root = file.cid;
  return { cid: String(root), blocks };
}

/** A document as one raw block, with a CID `bafkrei…`. */
export async function blockOf(document: Uint8Array): Promise<Tree> {
  const cid = CID.createV1(raw.code, await sha256.digest(document)).toString();
  return { cid, blocks: new Map([[cid, document]]) };
}
