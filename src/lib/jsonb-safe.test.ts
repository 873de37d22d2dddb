import { describe, expect, it } from 'vitest';
import { jsonbFault, jsonbSafe } from './jsonb-safe.ts';

const deep = (levels: number): unknown => (levels === 0 ? 'x' : [deep(levels - 1)]);

describe('a JSON value', () => {
  it.each([
    ['NUL in a text', { a: [{ b: 'x\0' }] }, ['a', '0', 'b']],
    ['NUL in a key', { 'a\0': 1 }, []],
    ['a lone surrogate', ['\ud800'], ['0']],
    ['deeper nesting than any real document', [{}, { raw: deep(100) }], ['1', 'raw']],
  ])('with %s cannot be stored, and has a fault with a path', (_what, value, path) => {
    expect(jsonbFault(value)).toMatchObject({ path });
  });

  it('of an ordinary document can be stored', () => {
    expect(jsonbFault({ title: { ja: '無題' }, list: [1, null, true, '😀'] })).toBeUndefined();
  });

  it('is repaired by jsonbSafe', () => {
    expect(jsonbSafe({ 'a\0': ['\ud800', 1] })).toEqual({ 'a\ufffd': ['\ufffd', 1] });
  });
});
