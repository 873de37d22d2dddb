import { importer } from 'ipfs-unixfs-importer';
import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import { sha256 } from 'multiformats/hashes/sha2';

/** A file's root and the blocks below it. */
export interface Tree {
  cid: string;
  blocks: Map<string, Uint8Array>;
}

/** Content that IPFS nodes would chunk: CID v1 with raw leaves, so that small files are one block. */
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

/** A document as one raw block: `bafkrei…`. */
export async function blockOf(document: Uint8Array): Promise<Tree> {
  const cid = CID.createV1(raw.code, await sha256.digest(document)).toString();
  return { cid, blocks: new Map([[cid, document]]) };
}
