import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { SeededRandom } from '../_util/seeded-random.ts';
import { expectCode, manifestOf, srr, srrEnv } from '../_util/srr.ts';

const seed = process.env.CLI_SEED ?? String(Date.now());
const rows = Number(process.env.CLI_ROWS ?? 12);
const kills = Number(process.env.CLI_KILLS ?? 6);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

it(`issues ${rows} records once through ${kills} kills, and reports them truly`, {
  timeout: 900_000,
}, async () => {
  const manifest = manifestOf(gateway, rows);
  const env = srrEnv(gateway);
  const parameters = ['issue', manifest.path, '--batch', String(Math.ceil(rows / 3))];
  const random = new SeededRandom(seed);
  let killed = 0;
  const moments: number[] = [];
  // A run that ends before its kill has issued everything: later runs only test the repetition.
  for (let attempt = 0; killed < kills && attempt < kills * 3; attempt++) {
    // Kill during the uploads, or, since later runs find these done, among the first requests.
    const moment = random.integer(1, attempt % 3 === 0 ? 10 + rows : 20);
    const result = await srr(parameters, { env, killAtRequest: moment });
    if (result.killed) {
      killed++;
      moments.push(moment);
      // A kill never leaves a half-written report.
      JSON.parse(readReport(manifest.path) ?? '{}');
    } else expectCode(result, 0);
  }
  expect(killed, `seed ${seed}, killed at ${moments}`).toBe(kills);
  const startedAt = performance.now();
  const last = await srr(parameters, { env });
  expectCode(last, 0);
  process.stdout.write(
    `${rows} records × 2 files, killed at requests ${moments.join(' ')}; last run ${Math.round(performance.now() - startedAt)} ms\n`,
  );

  const report = JSON.parse(readReport(manifest.path) ?? '');
  expect(report).toMatchObject({
    state: 'FINISHED',
    counts: { records: rows, issued: rows, failed: 0, open: 0 },
  });
  const wanted = manifest.rows.map(([externalId]) => externalId);
  expect(report.records.map(({ externalId }: { externalId: string }) => externalId)).toEqual(wanted);
  // The chain and the gateway have each record once, under the token that the report names.
  const reported = new Map(
    report.records.map(({ tokenId, externalId }: { tokenId: string; externalId: string }) => [
      tokenId,
      externalId,
    ]),
  );
  expect(reported.size).toBe(rows);
  const { srrs } = await gateway.caller.data(
    `{ srrs(first: ${rows + 50}) { edges { node { tokenId issuance { externalId } } } } }`,
  );
  const minted = srrs.edges.map(
    ({ node }: { node: { tokenId: string; issuance: { externalId: string } } }) => [
      node.tokenId,
      node.issuance.externalId,
    ],
  );
  expect(minted.toSorted()).toEqual([...reported].toSorted());
});

function readReport(manifest: string): string | undefined {
  try {
    return readFileSync(`${manifest}.report.json`, 'utf8');
  } catch {
    return undefined;
  }
}
