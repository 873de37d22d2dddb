import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { project } from '../_util/gateway-process.ts';

const run = (...parameters: string[]) =>
  promisify(execFile)(process.execPath, ['bench/events.ts', ...parameters], { cwd: project });

describe('bench:events', () => {
  // Memory is read from /proc.
  it.runIf(process.platform === 'linux')(
    'prints latency and memory of the gateway beside those of a bare server',
    async () => {
      const sizes = ['--subscribers', '20', '--deliveries', '5', '--every', '20', '--idle', '50'];
      const { stdout } = await run(...sizes);
      // Latencies (p50, p99, max) and missed events; then memory before, with, and per subscriber.
      for (const name of ['bare node:http', 'srr-gateway']) {
        expect(stdout).toMatch(new RegExp(`^${name}( +\\d+\\.\\d){3} +0$`, 'm'));
        expect(stdout).toMatch(new RegExp(`^${name}( +\\d+){2} +-?\\d+\\.\\d$`, 'm'));
      }
    },
    120_000,
  );

  it('shows its help, and refuses invalid sizes and unknown options', async () => {
    expect((await run('--help')).stdout).toMatch(/^Usage: npm run bench:events/);
    await expect(run('--subscribers', '0')).rejects.toMatchObject({ code: 1 });
    await expect(run('--nope')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Unknown option '--nope'.* \(npm run bench:events -- --help\)\n$/),
    });
  });
});
