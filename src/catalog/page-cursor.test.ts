import { expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from './page-cursor.ts';

it('a cursor can be decoded even if the subgraph sends BigInts as numbers', () => {
  const key = { value: 1_700_000_000_000 as unknown as string, id: '0x01' };
  const cursor = encodeCursor('createdAt', undefined, key);
  expect(decodeCursor(cursor, { field: 'createdAt' })).toEqual({ key: { ...key, value: '1700000000000' } });
});
