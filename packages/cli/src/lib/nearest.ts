import { distance } from 'fastest-levenshtein';

const normalize = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** ` Did you mean "…"?` with the name of the smallest edit distance, or an empty string when none is close. */
export function didYouMean(name: string, names: readonly string[]): string {
  const [best] = names
    .map((candidate) => ({ candidate, edits: distance(normalize(name), normalize(candidate)) }))
    .sort((a, b) => a.edits - b.edits);
  // At most a third of the letters. "artist" for "artistAddress" is found as a prefix.
  const isClose = best && best.edits <= Math.max(1, Math.floor(normalize(name).length / 3));
  const byPrefix = names.find(
    (candidate) => normalize(name).length > 3 && normalize(candidate).startsWith(normalize(name)),
  );
  const candidate = isClose ? best.candidate : byPrefix;
  return candidate ? ` Did you mean "${candidate}"?` : '';
}
