import { expect, it } from 'vitest';
import { schema } from './schema.ts';

it.each([
  ['2026-05-12T09:30:00Z', '00.000'],
  ['2026-05-12T09:30:00.5Z', '00.500'],
  ['2026-05-12T09:30:00.123000000Z', '00.123'],
  ['2026-05-12T09:30:00.000000001Z', '00.001'],
  ['2026-05-12T09:30:00.99905+00:00', '01.000'],
])('takes a part of a millisecond for all of it: %s', (text, seconds) => {
  const { parseValue } = schema.getType('DateTime') as unknown as { parseValue(value: unknown): Date };
  // A block is minted at a whole second, and is before the first moment after it.
  expect(parseValue(text).toISOString()).toBe(`2026-05-12T09:30:${seconds}Z`);
});
