import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printedSchemas } from './print-schemas.ts';

// Committed files that a program makes are made again, in memory, and compared: a change of their source
// without them would reach users as a contract or a client that is not what the code says.

const root = new URL('..', import.meta.url);

interface Stale {
  files: string[];
  /** The command that makes them again. */
  mend: string;
}

function schemas(): Stale {
  const files = printedSchemas
    .filter(({ path, print }) => !existsSync(path) || readFileSync(path, 'utf8') !== print())
    .map(({ path }) => relative(fileURLToPath(root), fileURLToPath(path)));
  return { files, mend: 'npm run codegen' };
}

function generated(config: string, files: string[], mend: string): Stale {
  const run = spawnSync('graphql-codegen', ['--config', config, '--check'], { cwd: root, encoding: 'utf8' });
  if (run.error) throw new Error('graphql-codegen is missing; run npm ci', { cause: run.error });
  // Anything but "changed" is a fault of the run itself, and its own words explain it best.
  if (run.status !== 0) console.error(`${run.stdout}${run.stderr}`.trim());
  return { files: run.status === 0 ? [] : files, mend };
}

const ours = ['src/clients/subgraph/generated.ts', 'packages/client/src/generated/types.ts'];
const stale = [
  schemas(),
  generated('codegen.ts', ours, 'npm run codegen'),
  generated('examples/gallery/codegen.ts', ['examples/gallery/src/gql'], 'npm run gallery:codegen'),
].filter(({ files }) => files.length > 0);
for (const { files, mend } of stale) console.error(`Stale: ${files.join(', ')}\n  mend with: ${mend}`);
if (stale.length === 0) console.log('Every generated file is what its source gives.');
process.exitCode = stale.length > 0 ? 1 : 0;
