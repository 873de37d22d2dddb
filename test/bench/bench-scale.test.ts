import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { climb, type Step, throughput } from '../../bench/scale/climb.ts';
import { project } from '../_util/gateway-process.ts';

const run = (...parameters: string[]) =>
  promisify(execFile)(process.execPath, ['bench/scale.ts', ...parameters], { cwd: project });

const server = process.env.TEST_DATABASE_URL;

function hasNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('bench:scale', () => {
  it.runIf(server !== undefined && hasNginx())(
    'prints the throughput of two replicas, and the cost of each operation',
    async () => {
      const sizes = ['--replicas', '2', '--share', '0', '--subscribers', '20', '--seconds', '2'];
      // Limits so low that the first or second rate exceeds them.
      const limits = ['--reads-p99', '1', '--deliveries-p99', '1', '--issuances', '2'];
      const { stdout } = await run(...sizes, ...limits);
      expect(stdout).toMatch(/^replicas +2$/m);
      expect(stdout).toMatch(/^reads a second +\d*$/m);
      expect(stdout).toMatch(/^deliveries a second +\d*$/m);
      expect(stdout).toMatch(/^ {2}ms an event and subscriber, gateway +[\d.]+$/m);
      expect(stdout).toMatch(/^ {2}events missed +0$/m);
      expect(stdout).toMatch(/^issuances of 3 records a second +[\d.]+$/m);
    },
    180_000,
  );

  it('finds the highest sustainable rate to within a twelfth', async () => {
    const tried: number[] = [];
    const steps = await climb(50, async (perSecond) => {
      tried.push(perSecond);
      return { perSecond, holds: perSecond <= 330 } as Step;
    });
    expect(tried).toEqual([50, 100, 200, 400, 400, 283, 336, 336, 308]);
    expect(throughput(steps)?.perSecond).toBe(308);
  });

  it('stops at once when the first rate is too high', async () => {
    const steps = await climb(50, async (perSecond) => ({ perSecond, holds: false }) as Step);
    expect(steps).toHaveLength(1);
    expect(throughput(steps)).toBeUndefined();
  });

  it('shows its help, and refuses invalid sizes and unknown options', async () => {
    expect((await run('--help')).stdout).toMatch(/^Usage: TEST_DATABASE_URL=/);
    await expect(run('--replicas', '1,0')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--replicas'),
    });
    await expect(run('--nope')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Unknown option '--nope'.* \(npm run bench:scale -- --help\)\n$/),
    });
  });
});
