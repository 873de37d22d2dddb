/** Maximum of preferred languages. Browsers send a handful, and each is looked up for each text of a page. */
export const maxWanted = 50;

/**
 * The text in the first preferred language that has one, else any text, with its tag in the document. An empty text
 * counts only where all are empty: forms send one for each language that was left out.
 * Languages match with or without a region: ja-JP also accepts ja, and ja accepts ja-JP.
 */
export function pickLanguage(
  all: Record<string, string>,
  wanted: readonly string[],
): { language: string; text: string } {
  const [first] = wanted;
  // The common case: the wanted tag exists as it is.
  if (first !== undefined && Object.hasOwn(all, first) && all[first])
    return { language: first, text: all[first] as string };
  const { tags, byTag, byLanguage } = indexOf(all);
  for (const tag of wanted.map((one) => one.toLowerCase())) {
    const found = byTag.get(tag) ?? byTag.get(primary(tag)) ?? byLanguage.get(primary(tag));
    if (found !== undefined) return { language: found, text: all[found] as string };
  }
  const [any = 'und'] = tags;
  return { language: any, text: all[any] ?? '' };
}

interface Index {
  tags: readonly string[];
  byTag: ReadonlyMap<string, string>;
  byLanguage: ReadonlyMap<string, string>;
}

/** Indexes of texts in many languages: one operation may look up the same text tens of thousands of times. */
const indexes = new WeakMap<object, Index>();
const many = 20;

function indexOf(all: Record<string, string>): Index {
  const known = indexes.get(all);
  if (known) return known;
  const every = Object.keys(all);
  const filled = every.filter((tag) => all[tag]);
  const tags = filled.length > 0 ? filled : every;
  const index = {
    tags,
    byTag: new Map(tags.map((tag) => [tag.toLowerCase(), tag])),
    // Reversed, so that the first tag of a language wins.
    byLanguage: new Map(tags.toReversed().map((tag) => [primary(tag.toLowerCase()), tag])),
  };
  if (every.length > many) indexes.set(all, index);
  return index;
}

const primary = (tag: string) => tag.split('-', 1)[0] as string;
