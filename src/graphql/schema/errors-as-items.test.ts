import { expect, it } from 'vitest';
import { errorsAsItems } from './errors-as-items.ts';

it('looks for no more items after a thousand errors, and fails with the first', async () => {
  const looked: number[] = [];
  const find = async (key: number, index: number) => {
    looked.push(index);
    if (key % 2 === 0) throw new Error(`no ${key}`);
    return key;
  };
  const keys = Array.from({ length: 2_000 }, (_, n) => n);
  const items = await errorsAsItems(keys, find);
  expect(items.slice(0, 3)).toEqual([new Error('no 0'), 1, new Error('no 2')]);
  expect(items).toHaveLength(2_000);
  looked.length = 0;
  await expect(errorsAsItems([...keys, ...keys, ...keys], find)).rejects.toThrow('no 0');
  expect(looked.length).toBeLessThanOrEqual(3_000);
});
