import { exporter, type UnixFSEntry, walkPath } from 'ipfs-unixfs-exporter';
import { CID } from 'multiformats/cid';
import type { BlockSource } from './blocks.ts';

/** Content, and the way to it. */
export interface Resolved {
  entry: UnixFSEntry;
  /** Root first, the content itself last: one for each name of the path. */
  cids: CID[];
}

export function parseCid(text: string): CID | undefined {
  try {
    return CID.parse(text);
  } catch {
    return undefined;
  }
}

/** Follows a path (percent-encoded names) from a root; `undefined` when it leads nowhere here. */
export async function resolve(
  blocks: BlockSource,
  root: CID,
  names: readonly string[],
): Promise<Resolved | undefined> {
  try {
    const path = names.filter((name) => name !== '').map(decodeURIComponent);
    const cids: CID[] = [];
    for await (const { cid } of walkPath([`${root}`, ...path].join('/'), blocks)) cids.push(cid);
    const last = cids.at(-1);
    return last && { entry: await exporter(last, blocks), cids };
  } catch {
    // A block or link that is not there, a path below a file, a CID whose codec does not fit its block:
    // all of it is content that does not exist here, and which of them it was tells a client nothing.
    return undefined;
  }
}
