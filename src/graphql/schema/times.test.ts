import { expect, it } from 'vitest';
import { dateOf, dateOrNull } from './times.ts';

it.each([
  ['milliseconds', '1700000000123', '2023-11-14T22:13:20.123Z'],
  [
    'a number, as GraphQL leaves the form of a BigInt to the server',
    1_700_000_000_123 as never,
    '2023-11-14T22:13:20.123Z',
  ],
  ['seconds, as a migrated subgraph may have them', '1700000000', '2023-11-14T22:13:20.000Z'],
])('a time of the subgraph is read from %s', (_form, sent, time) => {
  expect(dateOf(sent).toISOString()).toBe(time);
  expect(dateOrNull(sent)?.toISOString()).toBe(time);
});

it('a time that the subgraph does not have is null', () => {
  expect([dateOrNull(null), dateOrNull(undefined)]).toEqual([null, null]);
});

it.each([null, '', '2024-01-01T00:00:00Z', '9'.repeat(20)])(
  'a time of the subgraph that is %j is its fault, and not shown as another time',
  (sent) => {
    expect(() => dateOf(sent as never)).toThrow(
      expect.objectContaining({ name: 'UpstreamError', code: 'UPSTREAM_BAD_RESPONSE', upstream: 'SUBGRAPH' }),
    );
    if (sent !== null) expect(() => dateOrNull(sent)).toThrow('not understood');
  },
);
