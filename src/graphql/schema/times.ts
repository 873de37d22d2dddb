/** In 1973. No record is that old, so a smaller number is in seconds: a migration of a subgraph may store such times. */
const earliestMs = 1e11;

/** Parses a time of the subgraph: milliseconds as decimal text. */
export function dateOf(text: string): Date {
  const time = Number(text);
  return new Date(time < earliestMs ? time * 1_000 : time);
}

/** The same for times that may be null. */
export const dateOrNull = (text: string | null | undefined): Date | null =>
  text == null ? null : dateOf(text);
