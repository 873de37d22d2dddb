import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';
import { project } from '../_util/gateway-process.ts';
import { SeededRandom } from '../_util/seeded-random.ts';

const seed = process.env.IMPORT_SEED ?? String(Date.now());
/** Preloaded into the importer: writes a byte to stderr for each request that it starts. */
const announceRequests = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs';
  const { fetch } = globalThis;
  globalThis.fetch = (...request) => { writeSync(2, '\\x01'); return fetch(...request); };
`)}`;
/** Preloaded too: prints at the end how many requests were in flight at most. */
const countRequests = `data:text/javascript,${encodeURIComponent(`
  const { fetch } = globalThis;
  let [now, most] = [0, 0];
  globalThis.fetch = (...request) => {
    most = Math.max(most, ++now);
    return fetch(...request).finally(() => now--);
  };
  process.on('exit', () => console.log('at once: ' + most));
`)}`;
/** Each run has one of its own, whose records it counts. */
let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(() => gateway?.stop());

/** A CSV of 20 records, as spreadsheets save it. */
async function manifest(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'import-'));
  const artist = gateway.info.artists[0]?.address;
  const picture = join(project, 'examples/files/harbour-at-dusk.jpg');
  const lines = Array.from(
    { length: 20 },
    (_, i) => `${name.toLowerCase()}-${i},${artist},${name} ${i},Oil on canvas,2026,${picture}`,
  );
  const csv = join(folder, 'records.csv');
  await writeFile(csv, `externalId,artist,title,medium,year,picture\r\n${lines.join('\r\n')}\r\n`);
  return csv;
}

const importer = (csv: string, preload: string) =>
  spawn(process.execPath, ['--import', preload, 'examples/import-csv.ts', csv], {
    cwd: project,
    env: { ...process.env, URL: `${gateway.app.url}/graphql`, TOKEN: testToken },
  });

it('the importer issues 20 records of a CSV once, however often it is killed', async () => {
  const csv = await manifest('Work');
  const run = async (killAtRequest = Number.POSITIVE_INFINITY) => {
    const child = importer(csv, announceRequests);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.split('\x01').length > killAtRequest) child.kill('SIGKILL');
      });
    const [code, signal] = await once(child, 'close');
    return {
      code: code as number | null,
      killed: signal === 'SIGKILL',
      output: output.replaceAll('\x01', ''),
    };
  };
  const random = new SeededRandom(seed);
  let kills = 0;
  // A first import makes more than 40 requests; one with all files uploaded makes more than 20.
  for (let attempt = 0; attempt < 8; attempt++)
    if ((await run(random.integer(1, 8 + attempt * 6))).killed) kills++;
  expect(kills, `seed ${seed}`).toBeGreaterThan(1);
  const { code, output } = await run();
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

it('the importer says that its file is missing', async () => {
  const child = importer('no-such-records.csv', announceRequests);
  const errors = text(child.stderr);
  const [code] = await once(child, 'close');
  expect([code, await errors]).toEqual([
    2,
    expect.stringMatching(/^no-such-records\.csv is missing\. Usage: .*\n$/),
  ]);
});

it('the importer sends eight files at a time', async () => {
  const child = importer(await manifest('Piece'), countRequests);
  const output = text(child.stdout);
  const [code] = await once(child, 'close');
  expect(code, await output).toBe(0);
  expect((await output).match(/^piece-\d+ ISSUED \d+$/gm)).toHaveLength(20);
  expect(await output).toMatch(/^at once: 8$/m);
});
