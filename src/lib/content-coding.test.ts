import { describe, expect, it } from 'vitest';
import { acceptedCoding, isCompressible } from './content-coding.ts';

describe('the coding that is accepted', () => {
  it.each<[string | undefined, string | undefined]>([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.2, gzip;q=0.8', 'gzip'],
    ['GZIP; Q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ...[undefined, '', 'identity', 'deflate', 'gzip;q=0', 'gzip; q=0.0', 'gzip;q=x', 'xgzip', 'gzipped'].map(
      (header): [string | undefined, undefined] => [header, undefined],
    ),
  ])('of %s is %s', (header, coding) => {
    expect(acceptedCoding(header)).toBe(coding);
  });
});

it.each([
  ['application/json; charset=utf-8', true],
  ['application/graphql-response+json', true],
  ['text/html', true],
  ['text/plain; version=0.0.4', true],
  ['text/event-stream', false],
  ['image/png', false],
  ['undefined', false],
])('%s is worth compressing: %s', (type, worth) => {
  expect(isCompressible(type, 1_000)).toBe(worth);
  expect(isCompressible(type, 999)).toBe(false);
});
