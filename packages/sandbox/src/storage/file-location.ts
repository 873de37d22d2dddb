import type { Address } from '@srr-gateway/common/address';
import { parseAddress } from '@srr-gateway/common/address';
import { type Category, categories } from '../store/tables.ts';

/** Names one object for good: what a finalUrl says. */
export interface FileLocation {
  issuer: Address;
  category: Category;
  filename: string;
}

/** Anybody may read a public object by its finalUrl; a private one is read by signature only. */
export function isPublic(category: Category): boolean {
  return category === 'artwork' || category === 'non_attachment_file';
}

/** The object's path below the two hosts, and how `fileMetadata` names a missing file. */
export function filePath({ issuer, category, filename }: FileLocation): string {
  return `${issuer}/${category}/${filename}`;
}

/** Where signed requests go. */
export function objectPath(location: FileLocation): string {
  return `/storage/${isPublic(location.category) ? 'public' : 'private'}/${encodedPath(location)}`;
}

/** Public categories live on the static-file host, private ones at their storage-object address. */
export function finalUrl(origin: string, location: FileLocation): string {
  return isPublic(location.category)
    ? `${origin}/static/${encodedPath(location)}`
    : `${origin}${objectPath(location)}`;
}

/** Reads the path of a request or a finalUrl; `undefined` when it names no object. */
export function parseObjectPath(path: string): FileLocation | undefined {
  const match = /^\/(static|storage\/public|storage\/private)\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path);
  if (match === null) return undefined;
  const [, place, owner = '', category = '', name = ''] = match;
  const issuer = parseAddress(owner.toLowerCase());
  const filename = decoded(name);
  if (issuer === undefined || filename === undefined || !isCategory(category)) return undefined;
  const bucketMatches = isPublic(category) === (place !== 'storage/private');
  return bucketMatches ? { issuer, category, filename } : undefined;
}

/** A signed URL is not a finalUrl: it must not be stored, so one with a query is refused. */
export function parseFinalUrl(origin: string, text: string): FileLocation | undefined {
  if (!text.startsWith(`${origin}/`) || /[?#]/.test(text)) return undefined;
  return parseObjectPath(text.slice(origin.length));
}

/**
 * The address of a file that the operator put into storage. It is no finalUrl, and nobody reads the object
 * by it.
 */
export function provisionedUrl(origin: string, id: string): string {
  return `${origin}/storage/provisioned/${id}`;
}

/** The id in the address of a provisioned file; `undefined` for any other text. */
export function parseProvisionedUrl(origin: string, text: string): string | undefined {
  const id = text.slice(-idLength);
  return uuid.test(id) && text === provisionedUrl(origin, id) ? id : undefined;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const idLength = 36;

function encodedPath({ issuer, category, filename }: FileLocation): string {
  return `${issuer}/${category}/${encodeURIComponent(filename)}`;
}

/** Names are text that a database holds: NUL is none, and nor is what is not UTF-8. */
function decoded(text: string): string | undefined {
  try {
    const name = decodeURIComponent(text);
    return name.includes('\0') ? undefined : name;
  } catch {
    return undefined;
  }
}

function isCategory(text: string): text is Category {
  return (categories as readonly string[]).includes(text);
}
