import { CID } from 'multiformats/cid';
import { create } from 'multiformats/hashes/digest';
import { parseIpfsReference } from '../clients/ipfs/reference.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';

/** The value if it is a JSON object, else null. Documents are untrusted, so any field may have any type. */
export const objectOrNull = (value: unknown): JsonObject | null => (isJsonObject(value) ? value : null);

/**
 * An address that a page may link to or load; null for others. Documents are untrusted, and a browser would
 * run a `javascript:` address. The raw document still has the value.
 */
export function linkOf(value: unknown): string | null {
  const text = textOf(value);
  if (text === null || parseIpfsReference(text)) return text;
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : null;
}

/** The value if it is text, else null. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The value if it is a finite number, else null. */
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** The value if it fits GraphQL's Int (32 bits), else null: another number would make the field fail. */
export const integerOf = (value: unknown): number | null =>
  typeof value === 'number' && (value | 0) === value ? value : null;

/**
 * Maximum of list items, and of languages of a text; the raw document has all. A document of 2 MB can have 100,000.
 */
export const maxItems = 1_000;

/** Cache of texts cut to `maxItems` languages, which takes milliseconds for each text. */
const shortened = new WeakMap<object, Record<string, string> | null>();

/** Text by language tag; null when there is none. Plain text counts as an unknown language (`und`). */
export function languageMap(value: unknown): Record<string, string> | null {
  if (typeof value === 'string') return { und: value };
  const map = objectOrNull(value) ?? {};
  const known = shortened.get(map);
  if (known !== undefined) return known;
  const tags = Object.keys(map);
  const texts = tags.filter((tag) => typeof map[tag] === 'string').slice(0, maxItems);
  // Nearly always all values are text, so that no copy is needed.
  const isWhole = texts.length > 0 && texts.length === tags.length;
  if (isWhole) return map as Record<string, string>;
  const shown = texts.length === 0 ? null : Object.fromEntries(texts.map((tag) => [tag, map[tag] as string]));
  if (tags.length > maxItems) shortened.set(map, shown);
  return shown;
}

const listOf = (value: unknown): unknown[] | null => (Array.isArray(value) ? value.slice(0, maxItems) : null);

const texts = (value: unknown): string[] | null =>
  listOf(value)?.filter((item) => typeof item === 'string') ?? null;

/**
 * UIDs of NFC tags; null when the document has none. Version 2.0 has them only as `<vendor
 * prefix>CertICTagUIDs`.
 */
export function chipUIDs(document: JsonObject): string[] | null {
  const alias = Object.keys(document).find((name) => name.endsWith('CertICTagUIDs'));
  return texts(document.chipUIDs) ?? texts(alias && document[alias]);
}

/**
 * The files of a digital work; null when the document has none. Version 2.0 may name one file by its hash
 * alone.
 */
export function digitalComponents(document: JsonObject): HashedFile[] | null {
  const listed = hashedFiles(document.digitalComponents);
  const hash = textOf(document.digitalDataHash);
  if (hash === null || listed?.some((file) => file.hash === hash)) return listed;
  return [...(listed ?? []), { hash, category: 'artwork' }];
}

/** A file that a document names by its hash. */
export interface HashedFile {
  hash: string;
  category: string;
}

/** The items of a list that have a hash; null when the value is no list. */
export function hashedFiles(value: unknown): HashedFile[] | null {
  const items = listOf(value)?.flatMap((item) => {
    const { hash, category } = objectOrNull(item) ?? {};
    return typeof hash === 'string' ? [{ hash, category: textOf(category) ?? '' }] : [];
  });
  return items ?? null;
}

// Codes of the multicodec table.
const rawCodec = 0x55;
const sha256Code = 0x12;

/** The CID of a single block with this hash, `sha256-<hex>`; null for another hash. */
export function rawCid(hash: string): string | null {
  const [, hex] = /^sha256-([0-9a-f]{64})$/i.exec(hash) ?? [];
  return hex ? CID.createV1(rawCodec, create(sha256Code, Buffer.from(hex, 'hex'))).toString() : null;
}
