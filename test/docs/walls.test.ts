import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type IConfiguration, type ICruiseResult } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import walls from '../../.dependency-cruiser.mjs';
import type { Tables } from '../../src/store/tables.ts';
import { project } from '../_util/gateway-process.ts';

/** A miniature source tree: each file imports one other, which the named rule must report, if any. */
const fixtureTree: { what: string; file: string; imports: string; wall?: string }[] = [
  {
    what: 'an import upward',
    file: 'src/lib/up.ts',
    imports: '../config/x.ts',
    wall: 'lib-imports-downward',
  },
  {
    what: 'an import upward from a nested folder',
    file: 'src/lib/a/b/up.ts',
    imports: '../../../store/x.ts',
    wall: 'lib-imports-downward',
  },
  {
    what: 'an import of the wiring',
    file: 'src/issuance/up.ts',
    imports: '../app.ts',
    wall: 'issuance-imports-downward',
  },
  {
    what: 'an import of a sibling room',
    file: 'src/uploads/side.ts',
    imports: '../events/x.ts',
    wall: 'uploads-imports-downward',
  },
  {
    what: 'an import of another upstream’s client',
    file: 'src/clients/commerce/side.ts',
    imports: '../ipfs/x.ts',
    wall: 'clients-apart',
  },
  {
    what: 'a room without a rule',
    file: 'src/attic/x.ts',
    imports: '../lib/x.ts',
    wall: 'room-without-a-line',
  },
  {
    what: 'an import of the sandbox by the wiring',
    file: 'src/app.ts',
    imports: '@srr-gateway/sandbox',
    wall: 'sandbox-only-at-the-start',
  },
  {
    what: 'an import of the gateway by the sandbox',
    file: 'packages/sandbox/src/control/in.ts',
    imports: '../../../../src/store/x.ts',
    wall: 'packages-without-the-gateway',
  },
  {
    what: 'an import upward in the sandbox',
    file: 'packages/sandbox/src/chain/up.ts',
    imports: '../faults/x.ts',
    wall: 'sandbox-chain-imports-downward',
  },
  {
    what: 'an import of a sibling room in the sandbox',
    file: 'packages/sandbox/src/control/side.ts',
    imports: '../commerce/x.ts',
    wall: 'sandbox-control-imports-downward',
  },
  {
    what: 'a room of the sandbox without a rule',
    file: 'packages/sandbox/src/attic/x.ts',
    imports: '../lib/x.ts',
    wall: 'sandbox-room-without-a-line',
  },
  {
    what: 'an import of the sandbox by the common package',
    file: 'packages/common/src/in.ts',
    imports: '@srr-gateway/sandbox',
    wall: 'common-alone',
  },
  {
    what: 'an import of the sandbox by the command line',
    file: 'packages/cli/src/commands/in.ts',
    imports: '@srr-gateway/sandbox',
    wall: 'cli-by-the-client',
  },
  {
    what: 'an import of generated code',
    file: 'src/catalog/gen.ts',
    imports: '../clients/subgraph/generated.ts',
    wall: 'generated-code-stays-with-its-client',
  },
  { what: 'a circle', file: 'src/store/a.ts', imports: './b.ts', wall: 'no-circle' },
  { what: 'an import downward', file: 'src/issuance/down.ts', imports: '../clients/commerce/x.ts' },
  {
    what: 'an import of the common package by the sandbox',
    file: 'packages/sandbox/src/lib/down.ts',
    imports: '@srr-gateway/common/x',
  },
  {
    what: 'an import downward in the sandbox',
    file: 'packages/sandbox/src/commerce/down.ts',
    imports: '../faults/x.ts',
  },
  {
    what: 'an import of the sandbox by src/start',
    file: 'src/start/with.ts',
    imports: '@srr-gateway/sandbox',
  },
];
/** The files that the others import. */
const fixtureFiles = [
  'src/config/x.ts',
  'src/store/x.ts',
  'src/clients/ipfs/x.ts',
  'src/lib/x.ts',
  'src/events/x.ts',
  'src/clients/commerce/x.ts',
  'src/clients/subgraph/generated.ts',
  'packages/common/src/x.ts',
  'packages/sandbox/src/start.ts',
  'packages/sandbox/src/commerce/x.ts',
  'packages/sandbox/src/faults/x.ts',
  'packages/sandbox/src/lib/x.ts',
];
/** Folders with two subfolders that import each other through different files. */
const importCycles = ['src/catalog', 'packages/sandbox/src/storage'];

let root: string;
let reported: { file: string; wall: string }[];

function place(file: string, text: string): void {
  mkdirSync(join(root, dirname(file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'walls-'));
  for (const file of fixtureFiles) place(file, 'export type X = 1;\n');
  place('src/store/b.ts', "export type { Y as X } from './a.ts';\n");
  for (const folder of importCycles) {
    place(`${folder}/one/a.ts`, "export type { X } from '../two/a.ts';\n");
    place(`${folder}/two/b.ts`, "export type { X } from '../one/b.ts';\n");
    for (const file of ['one/b.ts', 'two/a.ts']) place(`${folder}/${file}`, 'export type X = 1;\n');
  }
  // Type-only imports must count too.
  for (const { file, imports } of fixtureTree)
    place(file, `import type { X } from '${imports}';\nexport type Y = X;\n`);
  mkdirSync(join(root, 'node_modules/@srr-gateway'), { recursive: true });
  for (const name of ['common', 'sandbox']) {
    const { exports } = (
      await import(join(project, 'packages', name, 'package.json'), { with: { type: 'json' } })
    ).default as { exports: object };
    place(`packages/${name}/package.json`, JSON.stringify({ name: `@srr-gateway/${name}`, exports }));
    symlinkSync(join(root, 'packages', name), join(root, 'node_modules/@srr-gateway', name));
  }
  const { forbidden, options } = walls as IConfiguration;
  const { output } = await cruise(['src', 'packages'], {
    ...options,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden },
  });
  reported = (output as ICruiseResult).summary.violations.map(({ from, rule }) => ({
    file: from,
    wall: rule.name,
  }));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('the import rules', () => {
  it.each(importCycles)(
    'report folders in %s that import each other in a circle, even if no files do',
    (folder) => {
      const folders = [`${folder}/one`, `${folder}/two`];
      expect(reported.filter(({ file }) => folders.includes(file))).toEqual(
        folders.map((file) => ({ file, wall: 'no-circle-of-folders' })),
      );
    },
  );

  it.each(fixtureTree)('are checked against $what: $wall', ({ file, wall }) => {
    expect(reported.filter((one) => one.file === file)).toEqual(wall ? [{ file, wall }] : []);
  });
});

/** The rooms with SQL on each table. `store` has what two rooms need that cannot import each other. */
const owners: Record<keyof Tables, string[]> = {
  issuance: ['issuance'],
  issuance_batch: ['issuance'],
  issuance_entry: ['issuance'],
  issuance_file: ['issuance'],
  issuance_history: ['issuance'],
  collection_creation: ['issuance'],
  event: ['events', 'store'],
  event_head: ['events', 'store'],
  upload: ['uploads'],
  access_token: ['access'],
  sealing_key: ['access'],
  rate_window: ['access'],
  webhook_endpoint: ['webhooks', 'store'],
  webhook_delivery: ['webhooks'],
  chore: ['store'],
};

describe('the tables', () => {
  const named = /(?:selectFrom|insertInto|updateTable|deleteFrom|Join)\('(\w+)|\bgateway\.(\w+)/g;
  const used = globSync('src/**/*.ts', { cwd: project })
    .filter((file) => !/\.test\.ts$|^src\/store\/migrations\//.test(file))
    .flatMap((file) =>
      [...readFileSync(join(project, file), 'utf8').matchAll(named)]
        .map(([, built, written]) => built ?? written)
        .filter((table): table is keyof Tables => table !== undefined && table in owners)
        .map((table) => ({ file, room: file.split('/')[1] as string, table })),
    );

  it('are each read and written only by the rooms that own them', () => {
    expect(used.filter(({ room, table }) => !owners[table].includes(room))).toEqual([]);
    expect(new Set(used.map(({ table }) => table))).toEqual(new Set(Object.keys(owners)));
  });
});
