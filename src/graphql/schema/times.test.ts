import { expect, it } from 'vitest';
import { dateOf, dateOrNull } from './times.ts';

it.each([
  ['milliseconds', '1600000000123', '2020-09-13T12:26:40.123Z'],
  ['seconds, as a migrated subgraph may have them', '1600000000', '2020-09-13T12:26:40.000Z'],
])('a time of the subgraph is read from %s', (_unit, text, time) => {
  expect(dateOf(text).toISOString()).toBe(time);
  expect(dateOrNull(text)?.toISOString()).toBe(time);
});

it('a time that the subgraph does not have is null', () => {
  expect(dateOrNull(null)).toBeNull();
  expect(dateOrNull(undefined)).toBeNull();
});
