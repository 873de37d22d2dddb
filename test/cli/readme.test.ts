import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { columns } from '../../packages/cli/src/manifest/columns.ts';
import { readManifest } from '../../packages/cli/src/manifest/manifest.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { project } from '../_util/gateway-process.ts';
import { expectCode, srr, srrEnv } from '../_util/srr.ts';

const readme = readFileSync(join(project, 'packages/cli/README.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'srr-readme-'));
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

it('the README lists every column of a manifest, and no other', () => {
  const [, table = ''] = /\| column \| holds \|\n([\s\S]*?)\n\n/.exec(readme) ?? [];
  const cells = table.split('\n').map((line) => line.split(' | ')[0] ?? '');
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  const wanted = columns.map(({ name, kind }) => (kind === 'languages' ? `${name}.<language>` : name));
  expect(named.toSorted()).toEqual(wanted.toSorted());
});

it('the CSV and the JSON manifest of the README are equal', () => {
  for (const path of ['pictures/harbour.jpg', 'papers/a.pdf', 'papers/b.pdf']) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), path);
  }
  const entries = ['csv', 'json'].map((kind) => {
    const [, text = ''] = new RegExp(`\`\`\`${kind}\n(.*?)\`\`\``, 's').exec(readme) ?? [];
    writeFileSync(join(folder, `records.${kind}`), text);
    return readManifest(join(folder, `records.${kind}`)).drafts.map(({ entry }) => entry);
  });
  expect(entries[0]).toHaveLength(1);
  expect(entries[0]).toEqual(entries[1]);
});

it('the sandbox issues the example as it is', async () => {
  const manifest = join(folder, 'example.csv');
  copyFileSync(join(project, 'examples/records.csv'), manifest);
  const parameters = ['issue', manifest, '--files', join(project, 'examples/files')];
  expectCode(await srr([...parameters, '--dry-run'], { env: srrEnv(gateway) }), 0);
  expectCode(await srr(parameters, { env: srrEnv(gateway) }), 0);
});
