import { describe, expect, it } from 'vitest';
import { queryErrors } from '../subgraph/query/errors.ts';
import { SubgraphReader } from './subgraph-reader.ts';

/**
 * A subgraph with a reorganisation during its first responses, which a test cannot time with the real one.
 */
function reorganised(times: number) {
  const queries = { times: 0 };
  const reader = new SubgraphReader({
    query: async () =>
      queries.times++ < times
        ? { errors: [{ message: queryErrors.reorganised().message }] }
        : { data: { srrs: [] } },
  });
  return { queries, reader };
}

describe('a read that meets a reorganisation', () => {
  it('is retried', async () => {
    const { queries, reader } = reorganised(2);
    expect(await reader.owned('0x00', 0, 10)).toEqual([]);
    expect(queries.times).toBe(3);
  });

  it('is 502 after too many retries', async () => {
    const { queries, reader } = reorganised(Number.POSITIVE_INFINITY);
    await expect(reader.owned('0x00', 0, 10)).rejects.toMatchObject({ statusCode: 502 });
    expect(queries.times).toBe(3);
  });
});
