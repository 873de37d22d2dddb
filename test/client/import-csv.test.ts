import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';
import { project } from '../_util/gateway-process.ts';
import { SeededRandom } from '../_util/seeded-random.ts';

const seed = process.env.IMPORT_SEED ?? String(Date.now());
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

it('the importer issues 20 records of a CSV once, however often it is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'import-'));
  const artist = gateway.info.artists[0]?.address;
  const picture = join(project, 'examples/files/harbour-at-dusk.jpg');
  const lines = Array.from(
    { length: 20 },
    (_, i) => `work-${i},${artist},Work ${i},Oil on canvas,2026,${picture}`,
  );
  const csv = join(folder, 'records.csv');
  await writeFile(csv, `externalId,artist,title,medium,year,picture\n${lines.join('\n')}\n`);
  const run = () => {
    const env = { ...process.env, URL: `${gateway.app.url}/graphql`, TOKEN: testToken };
    const child = spawn(process.execPath, ['examples/import-csv.ts', csv], { cwd: project, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, output })) };
  };
  const random = new SeededRandom(seed);
  let kills = 0;
  for (let attempt = 0; attempt < 8; attempt++) {
    const { child, ended } = run();
    // A start takes some 300 ms, the whole import some seconds: the moments lie all over it.
    await Promise.race([sleep(random.integer(200, 600 + attempt * 400)), ended]);
    if (child.exitCode === null && child.kill('SIGKILL')) kills++;
    await ended;
  }
  expect(kills, `seed ${seed}`).toBeGreaterThan(2);
  const { code, output } = await run().ended;
  expect({ code, seed, output }).toMatchObject({ code: 0 });
  expect(output.match(/^work-\d+ ISSUED \d+$/gm)).toHaveLength(20);
  const { issuances, srrs } = await gateway.caller.data(
    `{ issuances(first: 50) { edges { node { status progress { total issued } } } }
       srrs(first: 50) { edges { node { metadata { name } } } } }`,
  );
  expect(issuances.edges).toEqual([{ node: { status: 'COMPLETED', progress: { total: 20, issued: 20 } } }]);
  const names = srrs.edges.map(({ node }: { node: { metadata: { name: string } } }) => node.metadata.name);
  expect(names.toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `Work ${i}`).toSorted());
}, 120_000);
