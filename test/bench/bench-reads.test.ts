import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Contender, type Contenders, startContenders } from '../../bench/reads/contenders.ts';
import { counted, sameAnswers } from '../../bench/reads/measure.ts';
import { measuredQueries, type Query, queries } from '../../bench/reads/queries.ts';
import { type Server, startSources } from '../../bench/reads/servers.ts';
import { project } from '../_util/gateway-process.ts';

const run = (...parameters: string[]) =>
  promisify(execFile)(process.execPath, ['bench/reads.ts', ...parameters], { cwd: project });

/** One round, as short as it can be. */
const short = ['--no-peers', '--rounds', '1', '--seconds', '0.1', '--warm-up', '0.1'];

describe('bench', () => {
  let sources: Server;
  let contenders: Contenders;
  beforeAll(async () => {
    sources = await startSources();
    contenders = await startContenders(sources, { peers: false });
    // Wait for the check of configured names at the start, which reads the three newest documents.
    let checked = 0;
    const counts = async () => (await (await fetch(`${sources.url}/counts`)).json()) as { ipfs: number };
    await vi.waitUntil(
      async () => {
        checked += (await counts()).ipfs;
        return checked >= 3;
      },
      { timeout: 20_000 },
    );
  });
  afterAll(async () => {
    await contenders?.stop();
    await sources?.stop();
  });

  it('checks that all contenders answer alike, and counts their upstream requests', async () => {
    const { all } = contenders;
    expect(all.map(({ name }) => name)).toEqual([
      'written by hand',
      'srr-gateway, new query',
      'srr-gateway with a token',
      'srr-gateway, asked before',
    ]);
    const requestsOf = async (query: Query) =>
      (await sameAnswers(all, query, sources)).map(({ subgraph, ipfs }) => `${subgraph}+${ipfs}`);
    // The three srr-gateway rows are one gateway, so only its first read asks the sources.
    expect(await requestsOf(queries.nested)).toEqual(['1+0', '1+0', '0+0', '0+0']);
    // The gateway may have read three of the documents at its start.
    expect(await requestsOf(queries.join(60))).toEqual([
      '1+60',
      expect.stringMatching(/^1\+(60|57)$/),
      '0+0',
      '0+0',
    ]);
    // A larger page needs only the documents that were in no page before it.
    expect(await requestsOf(queries.join(70))).toEqual(['1+10', '1+10', '0+0', '0+0']);
    expect(await requestsOf(queries.typename)).toEqual(['0+0', '0+0', '0+0', '0+0']);
  });

  it.each([
    ['join', 1.1],
    // A record is named by its token and its collection, which the handler does not ask for here.
    ['nested', 1.15],
    ['single', 1.1],
  ])(
    'shows that the gateway loads hardly more from the subgraph than the handler: %s, at most %d times',
    async (name, most) => {
      const { query } = measuredQueries[name] as (typeof measuredQueries)[string];
      const [limit, gateway] = contenders.all as [Contender, Contender];
      await fetch(`${sources.url}/moving`, { method: 'POST', body: 'true' });
      const answered = async ({ ask, load }: Contender) => {
        await load.ask(ask(query, 1));
        await counted(sources);
        await load.ask(ask(query, 2));
        return (await counted(sources)).subgraphAnswered;
      };
      const byHand = await answered(limit);
      expect(byHand).toBeGreaterThan(0);
      expect(await answered(gateway)).toBeLessThanOrEqual(byHand * most);
      await fetch(`${sources.url}/moving`, { method: 'POST', body: 'false' });
    },
  );

  it('fails when two answers differ', async () => {
    const [limit, gateway] = contenders.all as [Contender, Contender];
    const other = { ...gateway, ask: () => gateway.ask(queries.join(49), 0) };
    await expect(sameAnswers([limit, other], queries.join(50), sources)).rejects.toThrow(
      /new query and written by hand answer differently/,
    );
  });

  it('prints its tables', async () => {
    const { stdout } = await run(...short, '--starts', '2');
    expect(stdout).toMatch(/^written by hand +1\.0 \(1\.0–1\.0\)/m);
    expect(stdout).toMatch(/^srr-gateway, asked before .* 0\.00 +0\.0\+0\.0 +0\.00 +0\+0 +\d+$/m);
    expect(stdout).toMatch(/^srr-gateway, new query( +[\d.]+ ms, \d+ µs a record){2}$/m);
    // In rounds this short the system's clock may count no processor time at all.
    for (const [label, figure] of [
      ['new query', String.raw`(?:-?[\d.]+|Infinity|NaN) %`],
      ['asked before', String.raw`(?:-?[\d.]+|Infinity|NaN) %`],
      ['{ __typename }', String.raw`-?\d+ µs`],
    ])
      expect(stdout).toMatch(
        new RegExp(
          `^${label}: ${figure} \\(single starts ${figure} to ${figure}\\), .* ms beside .* ms, in 8 rounds of 2 starts$`,
          'm',
        ),
      );
    // Five programs start and stop, which takes tens of seconds each on a busy machine.
  }, 180_000);

  it('measures only the named queries, and writes the figures as JSON and SVG', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bench-reads-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [json, svg] = ['figures.json', 'ratios.svg'].map((name) => join(folder, name)) as [string, string];
    const { stdout } = await run(...short, '--queries', 'single,typename', '--json', json, '--svg', svg);
    expect(stdout).not.toContain('a page of');
    const { results, before } = JSON.parse(await readFile(json, 'utf8'));
    expect(before).toMatchObject({
      node: process.version,
      load: [expect.any(Number), 0, 0].fill(expect.any(Number)),
    });
    expect(Object.keys(results)).toEqual(['single', 'typename']);
    const [byHand, gateway] = results.single.figures;
    expect(byHand).toMatchObject({ contender: 'written by hand', ratio: { throughput: { median: 1 } } });
    expect(gateway.asked).toMatchObject({
      subgraph: expect.any(Number),
      subgraphAnswered: expect.any(Number),
    });
    // One request loads the records of several callers.
    expect(gateway.asked.subgraph).toBeGreaterThan(0);
    expect(gateway.asked.subgraph).toBeLessThanOrEqual(1);
    expect(gateway.ratio.throughput.median).toBeGreaterThan(0);
    const bars = (await readFile(svg, 'utf8')).match(/<rect class="(hand|gateway|stands)"/g);
    // `{ __typename }` reads no source, so it has no bar for repeated queries at one block.
    expect(bars).toHaveLength(4 + 3);
  }, 120_000);

  it('shows its help, and refuses invalid rounds and unknown options', async () => {
    expect((await run('--help')).stdout).toMatch(/^Usage: npm run bench/);
    await expect(run('--rounds', '0')).rejects.toMatchObject({
      code: 1,
      stderr:
        '--rounds, --starts and --connections are whole numbers of 1 or more, --seconds a number over 0, --warm-up one of 0 or more.\n',
    });
    await expect(run('--warm-up', 'long')).rejects.toMatchObject({ code: 1 });
    await expect(run('--starts', 'few')).rejects.toMatchObject({ code: 1 });
    await expect(run('--queries', 'join,pages')).rejects.toMatchObject({
      code: 1,
      stderr: "--queries knows join, nested, single, large, typename, and not 'pages'.\n",
    });
    await expect(run('--nope')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Unknown option '--nope'.* \(npm run bench -- --help\)\n$/),
    });
  });
});
