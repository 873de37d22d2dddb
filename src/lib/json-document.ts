// Real documents nest a few levels. Much deeper ones overflow the stack, for example in JSON.stringify.
const maxDepth = 100;

/** Reads an untrusted JSON document. @throws SyntaxError for bad UTF-8, bad JSON, or too deep nesting. */
export function readJson(bytes: Uint8Array): unknown {
  if (isTooDeep(bytes)) throw new SyntaxError(`the document nests deeper than ${maxDepth} levels`);
  return JSON.parse(decoded(bytes));
}

const [quote, backslash] = Buffer.from('"\\');
/** The change of depth after each byte. */
const steps = new Int8Array(256);
for (const byte of Buffer.from('[{')) steps[byte] = 1;
for (const byte of Buffer.from(']}')) steps[byte] = -1;

/** Scans the bytes, because a document of 2 MB can have a million values, which take seconds to walk. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let isInText = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte === quote) isInText = !isInText;
    else if (isInText) i += byte === backslash ? 1 : 0;
    else depth += steps[byte] as number;
    if (depth > maxDepth) return true;
  }
  return false;
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SyntaxError('the document is not UTF-8', { cause });
  }
}
