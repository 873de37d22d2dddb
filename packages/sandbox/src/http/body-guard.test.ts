import { describe, expect, it } from 'vitest';
import { refuseUnstorable } from './body-guard.ts';

describe('a body', () => {
  it('passes with any text that a database can hold', () => {
    refuseUnstorable({ payload: [{ name: '港 😀', size: 1e308, flag: null }] });
    refuseUnstorable(undefined);
  });

  it.each([
    ['NUL in a value', { a: ['x\0'] }],
    ['NUL in a key', { 'x\0': 1 }],
    ['half a surrogate pair', { a: '\ud83d' }],
  ])('is refused for %s', (_, body) => {
    expect(() => refuseUnstorable(body)).toThrow('well-formed Unicode');
  });

  it('is refused when it is nested too deeply, however deeply', () => {
    let body: unknown = 1;
    for (let depth = 0; depth < 1_000_000; depth++) body = [body];
    expect(() => refuseUnstorable(body)).toThrow('nested');
  });
});
