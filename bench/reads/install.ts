import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const bench = join(import.meta.dirname, '..');

/** Installs the peers if they are missing. Returns undefined, or what went wrong. */
export function installPeers(): string | undefined {
  if (existsSync(join(bench, 'node_modules'))) return undefined;
  process.stdout.write('Installing the peers in bench/ (npm ci) …\n');
  const { status, stderr } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: bench,
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `npm ci in bench/ failed: ${stderr.trim().split('\n').at(-1)}`;
}
