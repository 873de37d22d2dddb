import { ServiceError } from './service-error.ts';

/** Documents of the interface are 5 levels deep; what recurses over a body must not meet thousands. */
const deepest = 32;

/**
 * Refuses what JSON can carry and a database cannot: text with NUL or a lone surrogate, and nesting
 * without end. Iterative, since depth is one of the things in question; only what can hold more waits.
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
