/**
 * Beyond this number the first error fails the list: a short request could cause tens of thousands of 200 bytes each.
 */
const maxErrors = 1_000;

/**
 * Finds the items of a list. A failed one becomes its error, which GraphQL reports at its path; a rejection would
 * fail the whole list. Beyond the limit of errors, the rest is not looked for.
 */
export async function errorsAsItems<Key, Item>(
  keys: readonly Key[],
  find: (key: Key, index: number) => Promise<Item>,
): Promise<Item[]> {
  const found: Item[] = [];
  for (let start = 0; start < keys.length; start += maxErrors) {
    const some = keys.slice(start, start + maxErrors).map((key, i) => find(key, start + i));
    found.push(...(await Promise.all(some.map((one) => one.catch((error: unknown) => error as never)))));
    const errors = found.filter((one) => (one as object | null) instanceof Error);
    if (errors.length > maxErrors) throw errors[0];
  }
  return found;
}
