import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runSnippets, snippetsOf } from '../_util/doc-snippets.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

it('every snippet of the client’s README runs, one after the other', async () => {
  const snippets = snippetsOf('packages/client/README.md');
  expect(snippets.length).toBeGreaterThanOrEqual(7);
  expect(new Set(snippets.map(({ language }) => language))).toEqual(new Set(['ts']));
  const here = (code: string) =>
    code.replace('http://127.0.0.1:4000', gateway.app.url).replace("'demo-token'", `'${testToken}'`);
  const lines: unknown[][] = [];
  const stop = new AbortController();
  const externalId = randomUUID();
  const globals = {
    file: new Blob([randomBytes(10_000)]),
    externalId,
    artistAddress: gateway.info.artists[0]?.address,
    requestId: randomUUID(),
    load: () => undefined,
    store: () => lines.some(([first]) => first === externalId) && stop.abort(),
    signal: stop.signal,
    console: { log: (...words: unknown[]) => lines.push(words) },
  };
  const program = snippets.map((snippet) => ({ ...snippet, code: here(snippet.code) }));
  expect(await runSnippets(program, globals, ['cache', 'exchange'])).toMatchObject({
    cache: expect.any(Object),
    exchange: expect.any(Function),
  });
  expect(lines).toContainEqual(['hashing', 10_000, 10_000]);
  expect(lines).toContainEqual(['COMPLETED', 1]);
  expect(lines).toContainEqual([externalId, expect.stringMatching(/^\d+$/)]);
});
