import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const project = join(import.meta.dirname, '..');
const floorsRule = 'lint/style/noRestrictedImports';
const circleRule = 'lint/suspicious/noImportCycles';

/** A miniature house: each file imports one other, and says which rule must speak up, if any. */
const house: { what: string; file: string; imports: string; rule?: string }[] = [
  { what: 'upward', file: 'src/lib/up.ts', imports: '../config/config.ts', rule: floorsRule },
  { what: 'upward from a folder', file: 'src/lib/a/up.ts', imports: '../../store/x.ts', rule: floorsRule },
  { what: 'upward to the root', file: 'src/issuance/up.ts', imports: '../app.ts', rule: floorsRule },
  { what: 'sibling', file: 'src/commerce/side.ts', imports: '../ipfs/ipfs.ts', rule: floorsRule },
  { what: 'sandbox by the app', file: 'src/app.ts', imports: './sandbox/start.ts', rule: floorsRule },
  { what: 'gateway by the sandbox', file: 'src/sandbox/in.ts', imports: '../store/x.ts', rule: floorsRule },
  {
    what: 'generated code',
    file: 'src/catalog/gen.ts',
    imports: '../generated/subgraph.ts',
    rule: floorsRule,
  },
  { what: 'circle, one half', file: 'src/store/a.ts', imports: './b.ts', rule: circleRule },
  { what: 'circle, other half', file: 'src/store/b.ts', imports: './a.ts', rule: circleRule },
  { what: 'downward', file: 'src/issuance/down.ts', imports: '../commerce/client.ts' },
  { what: 'downward by the sandbox', file: 'src/sandbox/down.ts', imports: '../lib/time.ts' },
];

let root: string;
let reported: { file: string; rule: string }[];

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'import-floors-'));
  for (const name of ['biome.json', '.gitignore']) cpSync(join(project, name), join(root, name));
  for (const { file, imports } of house) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), `import { x } from '${imports}';\n\nexport const y = x;\n`);
  }
  const biome = join(project, 'node_modules/.bin/biome');
  const run = spawnSync(biome, ['lint', '--reporter=json', '.'], { cwd: root, encoding: 'utf8' });
  const { diagnostics } = JSON.parse(run.stdout.slice(0, run.stdout.lastIndexOf('}') + 1)) as {
    diagnostics: { category: string; location: { path: string } }[];
  };
  reported = diagnostics.map(({ category, location }) => ({ file: location.path, rule: category }));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('import floors', () => {
  it.each(house.filter(({ rule }) => rule))('refuses an import: $what', ({ file, rule }) => {
    expect(reported.filter((one) => one.file === file)).toEqual([{ file, rule }]);
  });

  it.each(house.filter(({ rule }) => !rule))('allows an import: $what', ({ file }) => {
    expect(reported.filter((one) => one.file === file)).toEqual([]);
  });

  const source = join(project, 'src');
  const files = readdirSync(source, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(source, join(entry.parentPath, entry.name)).split(sep));

  it('covers every folder of src', () => {
    const { overrides } = JSON.parse(readFileSync(join(project, 'biome.json'), 'utf8')) as {
      overrides: { includes: string[] }[];
    };
    const covered = new Set(overrides.flatMap(({ includes }) => includes.map((glob) => glob.split('/')[1])));
    expect(files.filter(([folder]) => !covered.has(folder))).toEqual([]);
  });

  it('reaches as deep as the files of src', () => {
    // The rules name relative paths: two levels up in the gateway, three in the sandbox.
    const reach = (folder = '') => (folder === 'sandbox' ? 4 : folder === 'generated' ? 9 : 3);
    expect(files.filter((path) => path.length > reach(path[0]))).toEqual([]);
  });
});
