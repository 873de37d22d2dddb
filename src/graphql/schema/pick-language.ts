/**
 * The text in the first wanted language that exists, else any text. A language matches with or without its
 * region: ja-JP also accepts ja, and ja accepts ja-JP.
 */
export function pickLanguage(all: Record<string, string>, wanted: readonly string[]): string {
  const [first] = wanted;
  // The common case: the wanted tag exists as it is.
  if (first !== undefined && Object.hasOwn(all, first)) return all[first] as string;
  const byTag = new Map(Object.entries(all).map(([tag, text]) => [tag.toLowerCase(), text]));
  const primary = (tag: string) => tag.split('-')[0] as string;
  for (const tag of wanted.map((one) => one.toLowerCase())) {
    const sameLanguage = [...byTag.keys()].find((found) => primary(found) === primary(tag));
    const text = byTag.get(tag) ?? byTag.get(primary(tag)) ?? (sameLanguage && byTag.get(sameLanguage));
    if (text !== undefined) return text;
  }
  return byTag.values().next().value ?? '';
}
