import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { percentile, timeSpent } from '../../bench/flow/overhead.ts';
import { project } from '../_util/gateway-process.ts';

const run = (...parameters: string[]) =>
  promisify(execFile)(process.execPath, ['bench/flow.ts', ...parameters], { cwd: project });

const ms = (milliseconds: number) => BigInt(milliseconds) * 1_000_000n;
const at = (milliseconds: number) => String(ms(milliseconds));

describe('bench:flow', () => {
  it('counts as overhead the time in which no upstream call was pending', () => {
    const issuance = 'x';
    const call = (path: string, from: number, to: number) =>
      ({ kind: 'call', issuance, path, from: at(from), to: at(to) }) as const;
    const [spent] = timeSpent(
      [{ issuance, sentAt: ms(0), completedAt: ms(1_000) }],
      [
        { kind: 'stored', issuance, at: at(10) },
        { kind: 'leased', issuance, at: at(15) },
        call('/commerce/fileMetadata', 20, 50),
        call('/commerce/srrs', 60, 160),
        // Calls during the wait for the outcome count once, and those of other issuances not at all.
        call('/subgraph', 200, 300),
        { ...call('/commerce/srrs', 0, 1_000), issuance: 'y' },
        { kind: 'outcome', issuance, at: at(500) },
        { kind: 'outcome', issuance, at: at(960) },
        // The watch over mined records continues after the end of the issuance.
        call('/subgraph', 1_100, 1_200),
      ],
    );
    expect(spent).toEqual({
      total: 1_000,
      overhead: 70,
      storing: 10,
      queued: 5,
      starting: 5,
      between: 10,
      after: 40,
      calls: ['fileMetadata', 'srrs', 'subgraph'],
    });
  });

  it('computes percentiles', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect([0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([50, 99, 100]);
  });

  it('prints its measurements for a few issuances', async () => {
    const { stdout } = await run('--issuances', '4', '--records', '2', '--clients', '2');
    expect(stdout).toMatch(/^4 issuances of 2 records by 2 clients/);
    expect(stdout).toMatch(/throughput: \d+\.\d issuances\/s, \d+\.\d records\/s/);
    expect(stdout).toMatch(/upstream calls an issuance: fileMetadata 1\.00, srrs 1\.00/);
    expect(stdout).toMatch(/overhead +\d+\.\d +\d+\.\d +\d+\.\d/);
    expect(stdout).toMatch(/RSS MB( +\d+\.\d){5}/);
    // Two programs start and stop, which takes tens of seconds each on a busy machine.
  }, 120_000);

  it('shows its help, and refuses invalid sizes and unknown options', async () => {
    expect((await run('--help')).stdout).toMatch(/^Usage: npm run bench:flow/);
    await expect(run('--issuances', '0')).rejects.toMatchObject({
      code: 1,
      stderr: '--issuances, --records and --clients are whole numbers of 1 or more.\n',
    });
    await expect(run('--nope')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Unknown option '--nope'.* \(npm run bench:flow -- --help\)\n$/),
    });
  });
});
