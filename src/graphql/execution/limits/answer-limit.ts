import { GraphQLError } from 'graphql';

/**
 * A page of 999 records with all fields has some five million characters. Much longer answers would fill the memory.
 */
export const maxCharacters = 64_000_000;
/** Bytes of documents from which on a prepared read is measured. Nearly all have less, and measuring takes time. */
export const measuredFrom = 4_000_000;

/**
 * The error of an answer that is too long; undefined for others. The cost of an operation counts fields, and one
 * field of a stranger's document can have 2 MB.
 */
export function tooLong(data: unknown): GraphQLError | undefined {
  const left = measure(data, maxCharacters);
  if (left >= 0) return undefined;
  const message = `The answer has more than ${maxCharacters} characters, because documents in it are long. Ask for fewer of them at once.`;
  const measured = maxCharacters - left;
  const extensions = { code: 'LIMIT_EXCEEDED', limit: 'answer', allowed: maxCharacters, measured };
  return new GraphQLError(message, { extensions: { ...extensions, http: { status: 400 } } });
}

/**
 * Subtracts the length of a value's text from `left`; stops below zero. An escape or a comma counts as one character.
 */
function measure(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length - 2;
  if (typeof value !== 'object' || value === null) return left - String(value).length;
  const isList = Array.isArray(value);
  const inner: unknown[] = isList ? value : Object.values(value);
  left -= 2 + inner.length;
  if (!isList) for (const name of Object.keys(value)) left -= name.length + 3;
  for (const one of inner) {
    if (left < 0) return left;
    left = measure(one, left);
  }
  return left;
}
