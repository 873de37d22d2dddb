/** Parses a time of the subgraph: milliseconds as decimal text. */
export function dateOrNull(milliseconds: string | null | undefined): Date | null {
  return milliseconds == null ? null : new Date(Number(milliseconds));
}

/** The same for times that are never null. */
export const dateOf = (milliseconds: string): Date => new Date(Number(milliseconds));
