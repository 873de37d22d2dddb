import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const project = join(import.meta.dirname, '..');
const tsc = join(project, 'node_modules/.bin/tsc');

/**
 * Builds packages/client when its sources are newer: examples and tests import it as its users do, from `dist`.
 * An installation for production has no TypeScript, and nothing in it imports the client.
 */
export function buildClient(): void {
  const sources = globSync('packages/client/{tsconfig.json,src/**/*.ts}', { cwd: project });
  const newest = Math.max(...sources.map((path) => statSync(join(project, path)).mtimeMs));
  const built = statSync(join(project, 'packages/client/dist/node.js'), { throwIfNoEntry: false });
  if (!existsSync(tsc) || (built && built.mtimeMs > newest)) return;
  const { status } = spawnSync(tsc, ['-p', 'packages/client'], { cwd: project, stdio: 'inherit' });
  if (status !== 0) throw new Error('packages/client does not build');
}

if (import.meta.main) buildClient();
