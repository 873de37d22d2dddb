import { createHash } from 'node:crypto';
import type { CID } from 'multiformats/cid';
import { isTree, verified } from './verify.ts';

// The length of a SHA-256 checksum.
const sealBytes = 32;

/**
 * The form in which verified content is written to disk, so that damage shows when it is read. A single block
 * is checked by its CID. The CID of a tree does not hash the file's bytes, so a checksum goes before them.
 */
export function seal(cid: CID, content: Uint8Array): Uint8Array[] {
  return isTree(cid) ? [digest(content), content] : [content];
}

/** The content as it was sealed; undefined when any bit is missing or different. */
export async function unseal(cid: CID, file: Uint8Array): Promise<Uint8Array | undefined> {
  if (!isTree(cid)) return verified(cid, file).catch(() => undefined);
  const content = file.subarray(sealBytes);
  return digest(content).equals(file.subarray(0, sealBytes)) ? content : undefined;
}

const digest = (content: Uint8Array) => createHash('sha256').update(content).digest();
