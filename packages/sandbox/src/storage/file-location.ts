import type { Address } from '@srr-gateway/common/address';
import { parseAddress } from '@srr-gateway/common/address';
import { type Category, categories } from '../store/tables.ts';

/** Identifies one object; a finalUrl encodes it. */
export interface FileLocation {
  issuer: Address;
  category: Category;
  filename: string;
}

/**
 * Whether an object is public: readable by its finalUrl without a signature. A private one needs a signed
 * URL.
 */
export function isPublic(category: Category): boolean {
  return category === 'artwork' || category === 'non_attachment_file';
}

/** The object's path on both hosts, not percent-encoded; `fileMetadata` names missing files by it. */
export function filePath({ issuer, category, filename }: FileLocation): string {
  return `${issuer}/${category}/${filename}`;
}

/** Path of the object in signed URLs. */
export function objectPath(location: FileLocation): string {
  return `/storage/${isPublic(location.category) ? 'public' : 'private'}/${encodedPath(location)}`;
}

/** A file's finalUrl: on the static-file host for public categories, on the storage host for private ones. */
export function finalUrl(origin: string, location: FileLocation): string {
  return isPublic(location.category)
    ? `${origin}/static/${encodedPath(location)}`
    : `${origin}${objectPath(location)}`;
}

/** Parses the path of a request or a finalUrl; `undefined` when it can name no object. */
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

/**
 * Parses a finalUrl; `undefined` for any other text. A signed URL
 * (with a query) must not be stored, so it is refused.
 */
export function parseFinalUrl(origin: string, text: string): FileLocation | undefined {
  if (!text.startsWith(`${origin}/`) || /[?#]/.test(text)) return undefined;
  return parseObjectPath(text.slice(origin.length));
}

/**
 * The address of a file that the operator put into storage. It identifies the object, but cannot be read,
 * unlike a finalUrl.
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

/** `undefined` for names that PostgreSQL cannot store: text with NUL, or not UTF-8. */
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
