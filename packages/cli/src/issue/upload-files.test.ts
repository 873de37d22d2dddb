import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LocalFile } from '../manifest/local-file.ts';
import { FileUploads } from './upload-files.ts';

it('each of more files than one call announces has its own upload', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'srr-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = Array.from({ length: 501 }, (_, n) => {
    const path = join(folder, `${n}.txt`);
    writeFileSync(path, `${n}`);
    return new LocalFile(path, 'NON_ATTACHMENT_FILE');
  });
  const announced: number[] = [];
  const mutate = async (_document: string, { input }: { input: { files: { filename: string }[] } }) => {
    announced.push(input.files.length);
    const uploads = input.files.map(({ filename }) => ({ id: `id of ${filename}`, status: 'READY' }));
    return { data: { createUploads: { uploads, userErrors: [] } } };
  };
  const uploads = new FileUploads({ mutate } as never, new AbortController().signal, () => {});
  const refs = await uploads.of([{ where: '', externalId: '', entry: { files }, faults: [] }]);
  expect(announced).toEqual([500, 1]);
  for (const file of files) expect(refs.get(file.key)).toEqual({ upload: `id of ${await file.filename()}` });
});
