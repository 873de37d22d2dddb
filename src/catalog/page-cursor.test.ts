import { expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from './page-cursor.ts';

const list = { name: 'srrs', field: 'createdAt' };
const names = { name: 'collections', field: 'name', text: true };
const hash = `0x${'1'.repeat(64)}`;
const forged = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

it('a cursor can be decoded even if the subgraph sends BigInts as numbers', () => {
  const key = { value: 1_700_000_000_000 as unknown as string, id: '0x01' };
  const cursor = encodeCursor(list, undefined, key);
  expect(decodeCursor(cursor, list)).toEqual({ key: { ...key, value: '1700000000000' } });
});

it.each([
  ['with its block', { number: 2 ** 31 - 1, hash }],
  ['of a subgraph that does not tell the hash of its block', { number: 0, hash: undefined }],
])('a cursor %s leads to the same place', (_, block) => {
  const key = { value: '9'.repeat(78), id: 'x' };
  expect(decodeCursor(encodeCursor(list, block, key), list)).toEqual({ block, key });
});

it('a cursor of an earlier release, which does not name its list, is accepted', () => {
  expect(decodeCursor(forged('createdAt', 7, null, '1', 'x'), list)).toMatchObject({ key: { id: 'x' } });
});

it.each([
  ['another list', forged('createdAt', 7, hash, '1', 'x', 'collections')],
  ['another order', forged('updatedAt', 7, hash, '1', 'x', 'srrs')],
  ['a block beyond 32 bits', forged('createdAt', 2 ** 31, hash, '1', 'x')],
  ['a negative block', forged('createdAt', -1, hash, '1', 'x')],
  ['half a block', forged('createdAt', 7.5, hash, '1', 'x')],
  ['a hash that is too short', forged('createdAt', 7, '0x1', '1', 'x')],
  ['a hash with a letter too many', forged('createdAt', 7, `${hash}1`, '1', 'x')],
  ['text in place of a number', forged('createdAt', 7, hash, 'a', 'x')],
  ['a number that is too long', forged('createdAt', 7, hash, '1'.repeat(79), 'x')],
  ['no id', forged('createdAt', 7, hash, '1')],
  ['an id that no database takes', forged('createdAt', 7, hash, '1', '\0')],
  ['nothing', ''],
])('a cursor of %s is refused', (_, cursor) => {
  expect(() => decodeCursor(cursor, list, 'before')).toThrow(
    expect.objectContaining({
      code: 'INVALID_INPUT',
      faults: [expect.objectContaining({ path: ['before'] })],
    }),
  );
});

it('a cursor of an order by text may have any text that a database takes', () => {
  const at = (value: string) => decodeCursor(forged('name', null, null, value, 'x'), names);
  expect(at('Œuvres')).toEqual({ key: { value: 'Œuvres', id: 'x' } });
  expect(() => at('\0')).toThrow('does not belong to this list in this order');
});
