/** A JSON object of a metadata document. Documents of strangers are tolerated: nothing in one is sure. */
export type DocumentView = Record<string, unknown>;

export function documentView(value: unknown): DocumentView | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as DocumentView)
    : null;
}

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Text by language; null when there is none at all. A plain text counts as one of unknown language. */
export function languageMap(value: unknown): Record<string, string> | null {
  if (typeof value === 'string') return { und: value };
  const texts = Object.entries(documentView(value) ?? {}).filter(([, text]) => typeof text === 'string');
  return texts.length > 0 ? (Object.fromEntries(texts) as Record<string, string>) : null;
}

export function hashedFiles(value: unknown): { hash: string; category: string }[] | null {
  if (!Array.isArray(value)) return null;
  return value.flatMap((item) => {
    const { hash, category } = documentView(item) ?? {};
    return typeof hash === 'string' ? [{ hash, category: textOf(category) ?? '' }] : [];
  });
}
