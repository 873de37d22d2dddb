// Real documents nest a few levels. Much deeper ones overflow the stack, for example in JSON.stringify.
const maxDepth = 100;

/** Reads an untrusted JSON document. @throws SyntaxError for bad UTF-8, bad JSON, or too deep nesting. */
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
    throw new SyntaxError('the document is not UTF-8', { cause });
  }
}
