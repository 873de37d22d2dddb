import { expect, it } from 'vitest';
import { dateOf, dateOrNull } from './times.ts';

it('a time of the subgraph may be text or a number, as GraphQL leaves the form of a BigInt to it', () => {
  const time = new Date('2023-11-14T22:13:20.000Z');
  for (const sent of ['1700000000000', 1_700_000_000_000 as never])
    expect([dateOf(sent), dateOrNull(sent)]).toEqual([time, time]);
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
