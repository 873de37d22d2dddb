/**
 * The text in the first preferred language that exists, else any text, with its tag in the document.
 * Languages match with or without a region: ja-JP also accepts ja, and ja accepts ja-JP.
 */
export function pickLanguage(
  all: Record<string, string>,
  wanted: readonly string[],
): { language: string; text: string } {
  const [first] = wanted;
  // The common case: the wanted tag exists as it is.
  if (first !== undefined && Object.hasOwn(all, first))
    return { language: first, text: all[first] as string };
  const tags = Object.keys(all);
  const byTag = new Map(tags.map((tag) => [tag.toLowerCase(), tag]));
  const primary = (tag: string) => tag.split('-')[0] as string;
  for (const tag of wanted.map((one) => one.toLowerCase())) {
    const sameLanguage = () => tags.find((found) => primary(found.toLowerCase()) === primary(tag));
    const found = byTag.get(tag) ?? byTag.get(primary(tag)) ?? sameLanguage();
    if (found !== undefined) return { language: found, text: all[found] as string };
  }
  const [any = 'und'] = tags;
  return { language: any, text: all[any] ?? '' };
}
