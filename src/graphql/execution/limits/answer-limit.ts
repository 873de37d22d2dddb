import { GraphQLError } from 'graphql';

/** A page of 999 records with all fields has some five million. Much longer answers fill the memory. */
export const maxCharacters = 64_000_000;
/** Bytes of documents with which a prepared read is measured. Nearly all have less, and measuring takes time. */
export const measuredFrom = 4_000_000;

/**
 * The error of an answer that is too long; undefined for others. The cost of an operation counts fields, and one field
 * of a stranger's document can have 2 MB.
 */
export function tooLong(data: unknown): GraphQLError | undefined {
  const left = measure(data, maxCharacters);
  if (left >= 0) return undefined;
  const message = `The answer has more than ${maxCharacters} characters, because documents in it are long. Ask for fewer of them at once.`;
  const measured = maxCharacters - left;
  const extensions = { code: 'LIMIT_EXCEEDED', limit: 'answer', allowed: maxCharacters, measured };
  return new GraphQLError(message, { extensions: { ...extensions, http: { status: 400 } } });
}

/** How many characters are left after a value; stops below zero. */
function measure(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left - 1;
  for (const [name, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    left = measure(inner, left - (typeof name === 'string' ? name.length : 0));
    if (left < 0) return left;
  }
  return left;
}
