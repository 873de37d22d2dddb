import { expect, it } from 'vitest';
import { maxCharacters, tooLong } from './answer-limit.ts';

it.each([
  ['texts', 'a text'],
  ['numbers', Math.PI],
  ['empty lists', []],
  ['empty objects', {}],
  ['objects', { name: null, other: true }],
])('a result of %s is measured by the length of its JSON', (_what, value) => {
  const data = { list: Array.from({ length: 1_000_000 }, () => value) };
  const times = (n: number) => Array.from({ length: n }, () => data);
  const fitting = Math.floor(maxCharacters / JSON.stringify(times(1)).length);
  expect(tooLong(times(Math.floor(fitting * 0.9)))).toBeUndefined();
  expect(tooLong(times(Math.ceil(fitting * 1.1)))?.extensions).toMatchObject({ limit: 'answer' });
});
