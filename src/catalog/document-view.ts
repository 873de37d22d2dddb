import { parseIpfsReference } from '../clients/ipfs/reference.ts';
/** A JSON object of a metadata document. Documents of strangers are tolerated: nothing in one is sure. */
export type DocumentView = Record<string, unknown>;

export function documentView(value: unknown): DocumentView | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as DocumentView)
    : null;
}

/**
 * An address that a page may link to or load. A document is anybody's word, and a browser would run a
 * `javascript:` address; what is left out is in the raw document.
 */
export function linkOf(value: unknown): string | null {
  const text = textOf(value);
  if (text === null || parseIpfsReference(text)) return text;
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : null;
}

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** A whole number that fits the 32 bits of GraphQL's Int: any other would be an error there. */
export const integerOf = (value: unknown): number | null =>
  typeof value === 'number' && (value | 0) === value ? value : null;

/** Text by language; null when there is none at all. A plain text counts as one of unknown language. */
export function languageMap(value: unknown): Record<string, string> | null {
  if (typeof value === 'string') return { und: value };
  const map = documentView(value) ?? {};
  const tags = Object.keys(map);
  const texts = tags.filter((tag) => typeof map[tag] === 'string');
  if (texts.length === 0) return null;
  // Nearly always it is nothing but texts, and needs no copy.
  if (texts.length === tags.length) return map as Record<string, string>;
  return Object.fromEntries(texts.map((tag) => [tag, map[tag] as string]));
}

const texts = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : null;

/** UIDs of NFC tags. Version 2.0 has them under the vendor's name alone, `<prefix>CertICTagUIDs`. */
export function chipUIDs(document: DocumentView): string[] | null {
  const alias = Object.keys(document).find((name) => name.endsWith('CertICTagUIDs'));
  return texts(document.chipUIDs) ?? texts(alias && document[alias]);
}

/** The files of a digital work. Version 2.0 may name one of them by its hash alone, in a field of its own. */
export function digitalComponents(document: DocumentView): HashedFile[] | null {
  const listed = hashedFiles(document.digitalComponents);
  const hash = textOf(document.digitalDataHash);
  if (hash === null || listed?.some((file) => file.hash === hash)) return listed;
  return [...(listed ?? []), { hash, category: 'artwork' }];
}

export interface HashedFile {
  hash: string;
  category: string;
}

export function hashedFiles(value: unknown): HashedFile[] | null {
  if (!Array.isArray(value)) return null;
  return value.flatMap((item) => {
    const { hash, category } = documentView(item) ?? {};
    return typeof hash === 'string' ? [{ hash, category: textOf(category) ?? '' }] : [];
  });
}
