/** Beyond it the first error fails the list: a short request could have tens of thousands, each of 200 bytes. */
const maxErrors = 1_000;

/**
 * The items of a list, each of which may fail by itself: its error takes its place, and GraphQL shows it there. A
 * rejection would fail the other items too.
 */
export async function eachByItself<Item>(items: readonly Promise<Item>[]): Promise<Item[]> {
  const found = await Promise.all(items.map((one) => one.catch((error: unknown) => error as never)));
  const errors = found.filter((one) => (one as object | null) instanceof Error);
  if (errors.length > maxErrors) throw errors[0];
  return found;
}
