import { createHash } from 'node:crypto';
import type { CID } from 'multiformats/cid';
import { isTree, verified } from './verify.ts';

// SHA-256.
const sealBytes = 32;

/**
 * The form in which verified content goes to a disk: able to show, when it comes back, that it is whole. The
 * CID itself shows it for one block; for a file of several it names their tree, so a checksum goes before them.
 */
export function seal(cid: CID, content: Uint8Array): Uint8Array[] {
  return isTree(cid) ? [digest(content), content] : [content];
}

/** Content as it was sealed; undefined when one bit of it is missing or different. */
export async function unseal(cid: CID, file: Uint8Array): Promise<Uint8Array | undefined> {
  if (!isTree(cid)) return verified(cid, file).catch(() => undefined);
  const content = file.subarray(sealBytes);
  return digest(content).equals(file.subarray(0, sealBytes)) ? content : undefined;
}

const digest = (content: Uint8Array) => createHash('sha256').update(content).digest();
