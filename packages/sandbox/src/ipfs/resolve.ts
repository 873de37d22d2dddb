import { exporter, type UnixFSEntry, walkPath } from 'ipfs-unixfs-exporter';
import { CID } from 'multiformats/cid';
import type { BlockSource } from './blocks.ts';

/** Content, and the CIDs on the path to it. */
export interface Resolved {
  entry: UnixFSEntry;
  /** The root first, then one for each name of the path; the content itself is the last. */
  cids: CID[];
}

/** `undefined` when the text is not a CID. */
export function parseCid(text: string): CID | undefined {
  try {
    return CID.parse(text);
  } catch {
    return undefined;
  }
}

/** Follows a path of percent-encoded names from a root; `undefined` when this gateway has no such content. */
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
    // A missing block or link, a path below a file, or a CID whose codec does not fit its block: for the
    // client all of these mean that the content is not here.
    return undefined;
  }
}
