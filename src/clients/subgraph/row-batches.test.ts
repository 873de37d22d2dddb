import { createLogger } from '@srr-gateway/common/log';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failure } from '../../../test/_util/failure.ts';
import { reply, serve, type TestServer } from '../../../test/_util/http-server.ts';
import { type At, createSubgraph, type Subgraph } from './subgraph.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const hash = `0x${'7'.repeat(64)}`;
const block = { number: 7, hash };
const columns = 'createdAt';

interface Index extends TestServer {
  subgraph: Subgraph;
  /** The ids of each request for rows. */
  asked(): string[][];
  /** Ends the wait of the requests that `held` holds. */
  go(): void;
}

interface Sent {
  query: string;
  variables: { where0?: { id_in: string[] }; block?: object };
}

/** A subgraph that has every record but those whose ids begin with 0xff. */
async function index({ held = false, fails = (): boolean => false } = {}): Promise<Index> {
  const gate = Promise.withResolvers<void>();
  if (!held) gate.resolve();
  const server = await serve(async (request, response) => {
    const { where0 } = request.json<Sent>().variables;
    if (where0) await gate.promise;
    if (where0 && fails()) return reply(response, 200, { errors: [{ message: 'Query timed out' }] });
    const rows = (where0?.id_in ?? []).filter((id) => !id.startsWith('0xff'));
    reply(response, 200, {
      data: {
        _meta: { block: { ...block, timestamp: null }, hasIndexingErrors: false },
        list0: rows.map((id) => ({ id, createdAt: id.slice(2) })),
      },
    });
  });
  const subgraph = createSubgraph({ endpoints: [server.url], log, cache: true });
  onTestFinished(() => subgraph.close());
  return {
    ...server,
    subgraph,
    asked: () =>
      server.received.flatMap((one) => {
        const { where0 } = one.json<Sent>().variables;
        return where0 ? [where0.id_in] : [];
      }),
    go: gate.resolve,
  };
}

const read = async (
  { subgraph }: Index,
  id: string,
  { select = columns, ...at }: At & { select?: string } = {},
) => (await subgraph.byIds('srrs', [id], at, select)).rows.get(id)?.createdAt;

describe('rows that callers look for at the same time', () => {
  it('are read in one request, and each caller gets its own', async () => {
    const one = await index();
    const ids = ['0xa1', '0xff', '0xb2', '0xa1'];
    expect(await Promise.all(ids.map((id) => read(one, id)))).toEqual(['a1', undefined, 'b2', 'a1']);
    expect(one.asked()).toEqual([['0xa1', '0xff', '0xb2']]);
  });

  it('are cached each by itself, a missing one too', async () => {
    const one = await index();
    await Promise.all(['0xa1', '0xff', '0xb2'].map((id) => read(one, id)));
    expect([await read(one, '0xb2'), await read(one, '0xff')]).toEqual(['b2', undefined]);
    expect(await read(one, '0xa1', { block })).toBe('a1');
    expect(one.asked()).toHaveLength(1);
  });

  it('are separate requests with other columns, of another list or at another block', async () => {
    const one = await index();
    await Promise.all([
      read(one, '0xa1'),
      read(one, '0xa1', { select: 'updatedAt' }),
      one.subgraph.byIds('srrs', ['0xa1'], {}, ''),
      one.subgraph.byIds('srrs', ['0xa1']),
      read(one, '0xa1', { block }),
      one.subgraph.byIds('collections', ['0xa1'], {}, columns),
    ]);
    expect(one.asked()).toEqual(Array(6).fill(['0xa1']));
  });

  it('join a request for the same row that is under way', async () => {
    const one = await index({ held: true });
    const first = read(one, '0xa1');
    await expect.poll(() => one.asked()).toHaveLength(1);
    const [second, other] = [read(one, '0xa1'), read(one, '0xb2')];
    one.go();
    expect(await Promise.all([first, second, other])).toEqual(['a1', 'a1', 'b2']);
    expect(one.asked()).toEqual([['0xa1'], ['0xb2']]);
  });

  it.each([
    ['a hundred rows', columns, [100, 100, 50]],
    ['fewer with many children', 'provenance101: provenance(first: 101) { from }', [99, 99, 52]],
    [
      'one with as many as an answer may have',
      'provenance9000: provenance(first: 9000) { from }',
      Array(250).fill(1),
    ],
  ])('are requests of %s at most', async (_, select, sizes) => {
    const one = await index();
    await Promise.all(Array.from({ length: 250 }, (_, i) => read(one, `0xa${i}`, { select })));
    expect(one.asked().map((ids) => ids.length)).toEqual(sizes);
  });

  it('are read on for the others when one caller leaves, and no longer when all have left', async () => {
    const one = await index({ held: true });
    const [early, late] = [new AbortController(), new AbortController()];
    const ask = (id: string, { signal }: AbortController) =>
      one.subgraph.byIds('srrs', [id], { signal }, columns).then(({ rows }) => rows.get(id)?.createdAt);
    const [first, second] = [ask('0xa1', early), ask('0xb2', late)];
    await expect.poll(() => one.asked()).toHaveLength(1);
    early.abort(new Error('left early'));
    expect((await failure(first)).message).toBe('left early');
    const third = ask('0xb2', new AbortController());
    late.abort(new Error('left late'));
    expect((await failure(second)).message).toBe('left late');
    one.go();
    expect(await third).toBe('b2');

    const gone = new AbortController();
    const last = ask('0xc3', gone);
    gone.abort(new Error('left at once'));
    expect((await failure(last)).message).toBe('left at once');
    expect(await read(one, '0xc3')).toBe('c3');
  });

  it('fail together, and are asked for anew afterwards', async () => {
    let failing = true;
    const one = await index({ fails: () => failing });
    const ends = await Promise.allSettled([read(one, '0xa1'), read(one, '0xb2')]);
    expect(ends).toMatchObject(Array(2).fill({ reason: { kind: 'QUERY_TIMEOUT' } }));
    failing = false;
    expect(await read(one, '0xa1')).toBe('a1');
  });

  it('are not read together where callers write the ids', async () => {
    const one = await index();
    await Promise.all(['a', 'b'].map((id) => one.subgraph.byIds('customHistories', [id])));
    expect(one.asked()).toEqual([['a'], ['b']]);
  });
});
