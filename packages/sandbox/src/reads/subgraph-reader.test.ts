import { describe, expect, it } from 'vitest';
import { queryErrors } from '../subgraph/query/errors.ts';
import { SubgraphReader } from './subgraph-reader.ts';

/** A subgraph that is reorganised during its first answers: a moment that no test can hit. */
function reorganised(times: number) {
  const asked = { times: 0 };
  const reader = new SubgraphReader({
    query: async () =>
      asked.times++ < times
        ? { errors: [{ message: queryErrors.reorganised().message }] }
        : { data: { srrs: [] } },
  });
  return { asked, reader };
}

describe('a read that meets a reorganisation', () => {
  it('is asked again', async () => {
    const { asked, reader } = reorganised(2);
    expect(await reader.owned('0x00', 0, 10)).toEqual([]);
    expect(asked.times).toBe(3);
  });

  it('is 502 when that does not end', async () => {
    const { asked, reader } = reorganised(Number.POSITIVE_INFINITY);
    await expect(reader.owned('0x00', 0, 10)).rejects.toMatchObject({ statusCode: 502 });
    expect(asked.times).toBe(3);
  });
});
