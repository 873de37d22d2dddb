/**
 * Errors that the caller must correct in the request. They fail the whole call, even if they are about a part of it,
 * such as one list with a wrong cursor.
 */
export const codesOfInput: ReadonlySet<string> = new Set(['INVALID_INPUT', 'CURSOR_EXPIRED']);

/** Whether something was found. False also while the source that would know is down. */
export const isKnown = <Found>(found: Found): found is NonNullable<Found> => {
  if (found === null || found === undefined) return false;
  const { edges, indexing } = found as { edges?: unknown; indexing?: unknown };
  return edges !== null && indexing !== 'UNAVAILABLE';
};
