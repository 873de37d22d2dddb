import type { At, AtBlock } from './records.ts';

/** Maximum of rows in an answer: about 20 MB with their joined records. */
export const maxAnswerRows = 10_000;

/** Reads what is too large for one request in parts, all at the block of the first one. */
export async function readParts<Part, Found extends object>(
  [first, ...rest]: readonly Part[],
  at: At,
  readPart: (part: Part, at: At) => Promise<AtBlock<Found>>,
): Promise<AtBlock<{ parts: readonly Found[] }>> {
  const answer = await readPart(first as Part, at);
  const { block } = answer;
  const others = await Promise.all(rest.map((part) => readPart(part, { ...at, block })));
  const parts = [answer, ...others];
  return { block, trimmed: parts.some(({ trimmed }) => trimmed), parts };
}
