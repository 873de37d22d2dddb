import { loadavg } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareImport } from '../_util/bare-import.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { expectCode, manifestOf, srr, srrEnv } from '../_util/srr.ts';

const rows = Number(process.env.CLI_ROWS ?? 12);
const rounds = Number(process.env.CLI_ROUNDS ?? (rows > 100 ? 5 : 1));

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

const timed = async (work: () => Promise<unknown>) => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};
const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;

// The figures are for people, and not asserted: a busy machine distorts both.
it(`imports ${rows} records, and prints its time beside that of a bare program`, {
  timeout: 600_000,
}, async () => {
  const times = { bare: [] as number[], srr: [] as number[] };
  const run = {
    bare: () => bareImport(gateway, manifestOf(gateway, rows)),
    srr: async () => {
      const { path } = manifestOf(gateway, rows);
      expectCode(await srr(['issue', path], { env: srrEnv(gateway) }), 0);
    },
  };
  for (let round = 0; round < rounds; round++) {
    // Alternate the order: the second program finds warmer code, and a longer chain.
    const order = round % 2 === 0 ? (['bare', 'srr'] as const) : (['srr', 'bare'] as const);
    for (const name of order) times[name].push(await timed(run[name]));
  }
  const all = (list: number[]) => list.map((ms) => (ms / 1000).toFixed(1)).join(' ');
  const ratios = times.srr.map((ms, i) => ms / (times.bare[i] as number));
  process.stdout.write(
    `${rows} records × 2 files, load ${loadavg()[0]?.toFixed(1)}: bare ${all(times.bare)} s, srr issue ${all(times.srr)} s; ` +
      `ratio of the medians ${(median(times.srr) / median(times.bare)).toFixed(2)}, of each round ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}\n`,
  );
  const { srrs } = await gateway.caller.data(`{ srrs(first: 1) { edges { node { indexing } } } }`);
  expect(srrs.edges).toHaveLength(1);
});
