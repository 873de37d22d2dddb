import { expect, it } from 'vitest';
import { cutResult } from './cut-result.ts';

const page = (count: number, text = 'x'.repeat(50)) => ({
  edges: Array.from({ length: count }, (_, i) => ({ cursor: `c${i}`, node: { i, text, none: null } })),
  pageInfo: { hasNextPage: false, endCursor: `c${count - 1}` },
});

it('a short result is complete, without nulls, and has connections as items', () => {
  expect(cutResult({ list: page(1), none: null })).toEqual({
    value: { list: { items: [{ i: 0, text: 'x'.repeat(50) }] } },
  });
  const more = { ...page(1), pageInfo: { hasNextPage: true, endCursor: 'c0' } };
  expect(cutResult(more).value).toMatchObject({ nextCursor: 'c0' });
});

it('a long result has its longest page cut, with a cursor after its last item', () => {
  const { value, note } = cutResult({ short: page(2), deep: { long: page(200) } }, 5_000);
  const { short, deep } = value as {
    short: { items: object[] };
    deep: { long: { items: object[]; nextCursor: string } };
  };
  expect(short.items).toHaveLength(2);
  const { length } = deep.long.items;
  expect(length).toBeGreaterThan(40);
  expect(deep.long.nextCursor).toBe(`c${length - 1}`);
  expect(JSON.stringify(value).length + (note?.length ?? 0)).toBeLessThan(5_000);
  expect(note).toContain(`first ${length} of 200 items`);
});

it.each([
  ['a text', 'z'.repeat(9_000)],
  [
    'texts in many languages',
    Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`x-${i}`, 'z'.repeat(60)])),
  ],
])('an item that is too long because of %s is shortened, with a cursor after it', (_what, long) => {
  const list = (count: number) => {
    const { edges, pageInfo } = page(count);
    return { edges: edges.map((edge, i) => (i === 0 ? { ...edge, node: { long } } : edge)), pageInfo };
  };
  const { value, note } = cutResult(list(30), 5_000);
  expect(value).toEqual({ items: [expect.anything()], nextCursor: 'c0' });
  expect(JSON.stringify(value).length + (note?.length ?? 0)).toBeLessThan(5_000);
  expect(note).toContain('first of 30 items');
  expect(cutResult(list(1), 5_000).value).toEqual({ items: [expect.anything()] });
});

it('a page within an object that is too long has a cursor after its last item', () => {
  const more = { ...page(100), pageInfo: { hasNextPage: true, endCursor: 'c99' } };
  const { value } = cutResult({ long: 'z'.repeat(9_000), page: more, other: page(30) }, 5_000);
  const cut = { items: { length: 20 }, nextCursor: 'c19' };
  expect(value).toMatchObject({ page: cut, other: cut });
});

it('a document is not changed, even if it looks like a connection', () => {
  const raw = {
    edges: [{ node: 1, cursor: 'c' }],
    pageInfo: { hasNextPage: true, endCursor: 'c' },
    none: null,
  };
  expect(cutResult({ raw })).toEqual({ value: { raw } });
});

it('a long result without pages is shortened, with a note on another way to read it', () => {
  const { value, note } = cutResult({ text: 'y'.repeat(9_000), list: Array(100).fill(1) }, 5_000);
  const { text, list } = value as { text: string; list: number[] };
  expect(text).toMatch(/^y{1000}… \(9000 characters in all\)$/);
  expect(list).toHaveLength(20);
  expect(note).toContain('/graphql');
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, 'z'.repeat(100)]));
  expect(JSON.stringify(cutResult({ many }, 5_000).value).length).toBeLessThan(5_000);
});

it('a text is never cut within a surrogate pair', () => {
  const { value } = cutResult({ odd: `y${'😀'.repeat(2_000)}` }, 3_000);
  expect((value as { odd: string }).odd).toMatch(/^y(😀){499}… \(4001 characters in all\)$/u);
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`k${i}`, '😀'.repeat(20)]));
  for (const limit of [5_000, 5_002])
    expect(JSON.stringify(cutResult({ many }, limit).value)).not.toMatch(/\\ud8/);
});
