import { rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { runSnippets, snippetsOf } from '../_util/doc-snippets.ts';

it('the program in the sandbox’s README runs as written', async () => {
  const snippets = snippetsOf('packages/sandbox/README.md').filter(({ language }) => language === 'ts');
  const results = await runSnippets(snippets, {}, ['commerceUrl', 'issuers', 'dataDir']);
  await rm(results.dataDir as string, { recursive: true, force: true });
  expect(results.commerceUrl).toMatch(/^http:/);
  expect(results.issuers).not.toEqual([]);
});
