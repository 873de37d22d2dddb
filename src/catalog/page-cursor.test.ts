import { expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from './page-cursor.ts';

it('leads on from a row of a subgraph that sends its BigInts as numbers', () => {
  const key = { value: 1_700_000_000_000 as unknown as string, id: '0x01' };
  const cursor = encodeCursor('createdAt', undefined, key);
  expect(decodeCursor(cursor, { field: 'createdAt' })).toEqual({ key: { ...key, value: '1700000000000' } });
});
