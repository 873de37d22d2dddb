import { expect, it } from 'vitest';
import { ShortLivedMap } from './short-lived-map.ts';

it('the map keeps its live entries when it is copied', () => {
  const map = new ShortLivedMap<number>();
  map.set('stays', 0);
  for (let i = 1; i <= 2_500; i++) {
    map.set('goes', i);
    map.delete('goes', i);
  }
  expect([map.get('stays'), map.get('goes')]).toEqual([0, undefined]);
  map.delete('stays', 0);
  expect(map.get('stays')).toBeUndefined();
});

it('the expiry of a value does not delete a later value of the same key', () => {
  const map = new ShortLivedMap<string>();
  map.set('key', 'first');
  map.set('key', 'second');
  map.delete('key', 'first');
  expect(map.get('key')).toBe('second');
});
