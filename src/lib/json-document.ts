// Real documents have a handful; what nests deeper breaks programs that walk it, the printing of JSON first.
const maxDepth = 100;

/** Reads a document of a stranger: UTF-8, JSON, and not nested without end. @throws SyntaxError. */
export function readJson(bytes: Uint8Array): unknown {
  const document: unknown = JSON.parse(decoded(bytes));
  let level: unknown[] = [document];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new SyntaxError(`the document nests deeper than ${maxDepth} levels`);
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null
        ? Object.values(value).filter((inner) => typeof inner === 'object' && inner !== null)
        : [],
    );
  }
  return document;
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SyntaxError('the document is no UTF-8', { cause });
  }
}
