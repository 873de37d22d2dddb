import { CID } from 'multiformats/cid';

/** Content named by its CID, and a path below it, which is empty or begins with a slash. */
export interface IpfsReference {
  /** As written: v0 or v1. */
  cid: string;
  path: string;
}

/**
 * Understands `ipfs://<cid>`, gateway addresses (`…/ipfs/<cid>`, `<cid>.ipfs.<host>`) and a bare CID, each
 * with a path or without. Queries and fragments are no part of the content's name and are dropped.
 */
export function parseIpfsReference(text: string): IpfsReference | undefined {
  const trimmed = text.trim();
  for (const form of forms) {
    const match = form.exec(trimmed);
    const [, cid, path = ''] = match ?? [];
    if (cid !== undefined && parseCid(cid)) return { cid, path: path === '/' ? '' : path };
  }
  return undefined;
}

const rest = '(/[^?#]*)?(?:[?#].*)?$';
const forms = [
  new RegExp(`^ipfs://(?:ipfs/)?([A-Za-z0-9]+)${rest}`),
  new RegExp(`^(?:https?://[^/?#]+(?:/[^?#]*)?)?/ipfs/([A-Za-z0-9]+)${rest}`),
  new RegExp(`^https?://([a-z0-9]+)\\.ipfs\\.[^/?#]+${rest}`),
  new RegExp(`^([A-Za-z0-9]+)${rest}`),
];

/** Reads a CID, v0 or v1. */
export function parseCid(text: string): CID | undefined {
  try {
    return CID.parse(text);
  } catch {
    return undefined;
  }
}
