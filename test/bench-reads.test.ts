import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Contender, type Contenders, startContenders } from '../bench/reads/contenders.ts';
import { sameAnswers } from '../bench/reads/measure.ts';
import { type Query, queries } from '../bench/reads/queries.ts';
import { type Server, startSources } from '../bench/reads/servers.ts';
import { project } from './_util/gateway-process.ts';

const run = (...parameters: string[]) =>
  promisify(execFile)(process.execPath, ['bench/reads.ts', ...parameters], { cwd: project });

describe('bench', () => {
  let sources: Server;
  let contenders: Contenders;
  beforeAll(async () => {
    sources = await startSources();
    contenders = await startContenders(sources, { peers: false });
    // The gateway holds its configured names against the three newest documents at its start; none of it is a read.
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

  it('compares like with like, and counts what each asks of the sources', async () => {
    const { all } = contenders;
    expect(all.map(({ name }) => name)).toEqual([
      'written by hand',
      'srr-gateway, block moves',
      'srr-gateway, block stands',
    ]);
    const asked = async (query: Query) =>
      (await sameAnswers(all, query, sources)).map(({ subgraph, ipfs }) => `${subgraph}+${ipfs}`);
    // The gateway is there twice: what its first read brought, its second one need not ask for.
    expect(await asked(queries.nested)).toEqual(['1+0', '1+0', '0+0']);
    // Three of the documents may be known: a gateway holds its configured names against the newest at its start.
    expect(await asked(queries.join(60))).toEqual(['1+60', expect.stringMatching(/^1\+(60|57)$/), '0+0']);
    // A larger page needs only the documents that were in no page before it.
    expect(await asked(queries.join(70))).toEqual(['1+10', '1+10', '0+0']);
    expect(await asked(queries.typename)).toEqual(['0+0', '0+0', '0+0']);
  });

  it('fails when two answers differ', async () => {
    const [limit, gateway] = contenders.all as [Contender, Contender];
    const other = { ...gateway, ask: () => gateway.ask(queries.join(49), 0) };
    await expect(sameAnswers([limit, other], queries.join(50), sources)).rejects.toThrow(
      /block moves and written by hand answer differently/,
    );
  });

  it('prints its tables', async () => {
    const { stdout } = await run('--no-peers', '--rounds', '1', '--seconds', '0.1', '--starts', '2');
    expect(stdout).toMatch(/^written by hand +1\.0 \(1\.0–1\.0\)/m);
    expect(stdout).toMatch(/^srr-gateway, block stands .* 0\.00 +0\.00 +0\+0 +\d+$/m);
    expect(stdout).toMatch(/^srr-gateway, block moves( +[\d.]+ ms, \d+ µs a record){3}$/m);
    for (const [asked, figure] of [
      ['block moves', String.raw`-?[\d.]+ %`],
      ['block stands', String.raw`-?[\d.]+ %`],
      ['{ __typename }', String.raw`-?\d+ µs`],
    ])
      expect(stdout).toMatch(
        new RegExp(
          `^${asked}: ${figure} \\(single starts ${figure} to ${figure}\\), .* ms beside .* ms, in 8 rounds of 2 starts$`,
          'm',
        ),
      );
    // Five programs start and stop for it, each in tens of seconds where the machine is busy.
  }, 180_000);

  it('explains itself, and refuses rounds and options that are none', async () => {
    expect((await run('--help')).stdout).toMatch(/^Usage: npm run bench/);
    await expect(run('--rounds', '0')).rejects.toMatchObject({
      code: 1,
      stderr: '--rounds and --starts are whole numbers of 1 or more, --seconds a number over 0.\n',
    });
    await expect(run('--starts', 'few')).rejects.toMatchObject({ code: 1 });
    await expect(run('--nope')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Unknown option '--nope'.* \(npm run bench -- --help\)\n$/),
    });
  });
});
