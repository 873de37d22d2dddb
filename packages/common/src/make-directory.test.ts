import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeDirectory } from './make-directory.ts';

it('creates missing parents, accepts an existing directory, and fails where a file is in the way', () => {
  const root = mkdtempSync(join(tmpdir(), 'make-directory-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const deep = join(root, 'a/b/c');
  for (const _ of ['new', 'there']) makeDirectory(deep);
  expect(existsSync(deep)).toBe(true);
  const file = join(root, 'file');
  writeFileSync(file, '');
  expect(() => makeDirectory(file)).toThrow(/EEXIST/);
  expect(() => makeDirectory(join(file, 'below'))).toThrow(/EEXIST|ENOTDIR/);
});
