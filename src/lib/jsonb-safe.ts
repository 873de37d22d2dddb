/** Real documents nest a few levels. Much deeper ones overflow the stack. */
const maxDepth = 64;
/**
 * How much of the path to too deep a place is shown: it leads to the document that has it, such as `0.metadataJson`.
 */
const shownDepth = 2;

/** Why a value cannot be stored, and where. */
export interface JsonbFault {
  path: string[];
  /** A predicate to put after a subject: "has a NUL character". */
  why: string;
}

/**
 * Why a JSON value cannot be stored as PostgreSQL's jsonb; undefined when it can. Text in jsonb may hold neither NUL
 * nor half of a surrogate pair. The fault's `path` is that of the first one, or the beginning of it.
 */
export function jsonbFault(value: unknown, path: string[] = []): JsonbFault | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return { path, why: 'has a NUL character' };
    return value.isWellFormed() ? undefined : { path, why: 'has half of a surrogate pair' };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length >= maxDepth)
    return { path: path.slice(0, shownDepth), why: `is nested deeper than ${maxDepth} levels` };
  for (const [key, inner] of Object.entries(value)) {
    const found = jsonbFault(key, path) ?? jsonbFault(inner, [...path, key]);
    if (found) return found;
  }
  return undefined;
}

/** Whether a value is nested too deeply to be stored, or to be walked through by recursion. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth >= maxDepth || Object.values(value).some((inner) => isTooDeep(inner, depth + 1));
}

/**
 * Replaces characters that jsonb cannot store by U+FFFD, for values that cannot be refused. Check `isTooDeep` first: a
 * deeper value would exhaust the stack.
 */
export function jsonbSafe(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\ufffd');
  if (Array.isArray(value)) return value.map(jsonbSafe);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [jsonbSafe(key) as string, jsonbSafe(inner)]),
  );
}
