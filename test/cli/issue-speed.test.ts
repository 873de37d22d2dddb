import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareImport } from '../_util/bare-import.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { expectCode, manifestOf, srr, srrEnv } from '../_util/srr.ts';

const rows = Number(process.env.CLI_ROWS ?? 12);
const rounds = rows > 100 ? 5 : 1;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

const timed = async (work: () => Promise<unknown>) => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};
const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;

// The figures are for people: what a busy machine does to either of them is no fault of the command.
it(`imports ${rows} records, and prints its time beside that of a bare program`, {
  timeout: 600_000,
}, async () => {
  const times: { bare: number[]; srr: number[] } = { bare: [], srr: [] };
  for (let round = 0; round < rounds; round++) {
    times.bare.push(await timed(() => bareImport(gateway, manifestOf(gateway, rows))));
    const { path } = manifestOf(gateway, rows);
    const run = async () => expectCode(await srr(['issue', path], { env: srrEnv(gateway) }), 0);
    times.srr.push(await timed(run));
  }
  const [bare, command] = [median(times.bare), median(times.srr)];
  const all = (list: number[]) => list.map((ms) => (ms / 1000).toFixed(1)).join(' ');
  process.stdout.write(
    `${rows} records × 2 files: bare ${all(times.bare)} s, srr issue ${all(times.srr)} s; ratio of the medians ${(command / bare).toFixed(2)}\n`,
  );
  const { srrs } = await gateway.caller.data(`{ srrs(first: 1) { edges { node { indexing } } } }`);
  expect(srrs.edges).toHaveLength(1);
});
