/**
 * Beyond this number the first error fails the list: a short request could cause tens of thousands of 200 bytes each.
 */
const maxErrors = 1_000;

/**
 * Awaits the items of a list. A failed one becomes its error, which GraphQL reports at its path; a rejection would
 * fail the whole list.
 */
export async function errorsAsItems<Item>(items: readonly Promise<Item>[]): Promise<Item[]> {
  const found = await Promise.all(items.map((one) => one.catch((error: unknown) => error as never)));
  const errors = found.filter((one) => (one as object | null) instanceof Error);
  if (errors.length > maxErrors) throw errors[0];
  return found;
}
