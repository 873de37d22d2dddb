import { LRUCache } from 'lru-cache';
import { base16, base16upper } from 'multiformats/bases/base16';
import { base32upper } from 'multiformats/bases/base32';
import { base36upper } from 'multiformats/bases/base36';
import { CID } from 'multiformats/cid';
import { contentKey } from './verify.ts';

/** A CID and a path below it; the path is empty or begins with a slash. */
export interface IpfsReference {
  /** As written: v0 or v1, in any base of letters and digits. */
  cid: string;
  /** The same however the CID is written. */
  key: string;
  path: string;
}

/**
 * Parses `ipfs://<cid>`, gateway addresses (`…/ipfs/<cid>`, `<cid>.ipfs.<host>`) and a bare CID, with or
 * without a path; undefined for other text. Drops queries and fragments, which do not name content.
 */
export function parseIpfsReference(text: string): IpfsReference | undefined {
  const known = references.get(text);
  if (known) return known;
  const reference = parse(text.trim());
  if (reference && text.length <= longestKept) references.set(text, reference);
  return reference;
}

/** Parsed references: a page names the same documents and pictures at each read. A few MB at most. */
const references = new LRUCache<string, IpfsReference>({ max: 10_000 });
/** Longer CIDs embed their content, and would make the cache large. */
const longestKept = 200;

function parse(text: string): IpfsReference | undefined {
  // The letter case of a scheme means nothing, unlike that of a path.
  const address = text.replace(/^(ipfs|https?):/i, (scheme) => scheme.toLowerCase());
  for (const form of forms) {
    const match = form.exec(address);
    const [, cid = '', path = ''] = match ?? [];
    const parsed = parseCid(cid);
    if (parsed && staysBelow(path)) return { cid, key: contentKey(parsed), path: path === '/' ? '' : path };
  }
  return undefined;
}

/** Whether a path stays below its CID: a browser would take `..` for another place of the gateway's host. */
const staysBelow = (path: string): boolean =>
  !/[\p{Cc}\\]/u.test(path) && !path.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part));

// Matches anything after a CID and `/`, `?` or `#`, also line breaks. Otherwise a text with many places that look
// like a CID would be scanned to its end from each.
const rest = '(/[^?#]*)?(?:[?#].*)?$';
const forms = [
  new RegExp(`^ipfs://(?:ipfs/)?([A-Za-z0-9]+)${rest}`, 's'),
  new RegExp(`^(?:https?://[^/?#]+(?:/[^?#]*)?)?/ipfs/([A-Za-z0-9]+)${rest}`, 's'),
  new RegExp(`^https?://([a-z0-9]+)\\.ipfs\\.[^/?#]+${rest}`, 's'),
  new RegExp(`^([A-Za-z0-9]+)${rest}`, 's'),
];

/**
 * A hash takes up to 120 characters, and IPFS nodes take no CID that embeds more than 128 bytes. The time to decode
 * base 58 grows with the square of the length: a CID of 90,000 characters would stop the process for seconds.
 */
export const longestCid = 500;

/** `CID.parse` does not know these bases by itself. The first character of a CID names its base. */
const otherBases = base16.decoder.or(base16upper.decoder).or(base32upper.decoder).or(base36upper.decoder);

/** Reads a CID, v0 or v1; undefined for other text. */
export function parseCid(text: string): CID | undefined {
  if (text.length > longestCid) return undefined;
  try {
    return CID.parse(text, /^[fFBK]/.test(text) ? otherBases : undefined);
  } catch {
    return undefined;
  }
}
