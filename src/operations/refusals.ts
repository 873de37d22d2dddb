/** What a caller mends by another request, also where only a part is missing for it, as a list by its cursor. */
export const codesOfInput: ReadonlySet<string> = new Set(['INVALID_INPUT', 'CURSOR_EXPIRED']);

/** Whether an answer tells something: it is there, and the source that knows what there is did answer. */
export const isKnown = <Found>(found: Found): found is NonNullable<Found> => {
  if (found === null || found === undefined) return false;
  const { edges, indexing } = found as { edges?: unknown; indexing?: unknown };
  return edges !== null && indexing !== 'UNAVAILABLE';
};
