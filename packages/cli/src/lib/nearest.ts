import { distance } from 'fastest-levenshtein';

const bare = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** ` Did you mean "…"?` with the most similar name, or nothing if none is similar. */
export function didYouMean(name: string, names: readonly string[]): string {
  const [best] = names
    .map((meant) => ({ meant, slips: distance(bare(name), bare(meant)) }))
    .sort((a, b) => a.slips - b.slips);
  // A third of the letters: "artist" for "artistAddress" is still found by its beginning.
  const near = best && best.slips <= Math.max(1, Math.floor(bare(name).length / 3));
  const extended = names.find((meant) => bare(name).length > 3 && bare(meant).startsWith(bare(name)));
  const meant = near ? best.meant : extended;
  return meant ? ` Did you mean "${meant}"?` : '';
}
