import { ServiceError } from './service-error.ts';

/** Valid bodies are 5 levels deep. Code that recurses over a body would overflow the stack at thousands. */
const deepest = 32;

/**
 * Throws a 400 for what JSON can carry and the database cannot store: text with NUL or a lone surrogate, and
 * deep nesting. It is iterative, because recursion would overflow on the nesting that it has to refuse.
 */
export function refuseUnstorable(body: unknown): void {
  const open: { value: object; depth: number }[] = [];
  const hold = (value: unknown, depth: number) => {
    if (typeof value === 'string') refuseText(value);
    else if (value !== null && typeof value === 'object') open.push({ value, depth });
  };
  hold(body, 0);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (depth >= deepest)
      throw new ServiceError(400, `Request body must not be nested more than ${deepest} levels deep`);
    if (Array.isArray(value)) for (const inner of value) hold(inner, depth + 1);
    else
      for (const [key, inner] of Object.entries(value)) {
        refuseText(key);
        hold(inner, depth + 1);
      }
  }
}

function refuseText(text: string): void {
  if (text.includes('\0') || !text.isWellFormed())
    throw new ServiceError(400, 'Request body must hold well-formed Unicode text without NUL');
}
