import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runSnippets, type Snippet, snippetsOf } from '../_util/doc-snippets.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

const here = (snippet: Snippet): Snippet => ({
  ...snippet,
  code: snippet.code
    .replace('http://127.0.0.1:4000', gateway.app.url)
    .replace("'demo-token'", `'${testToken}'`),
});

it('the program in the README of the project runs', async () => {
  const snippets = snippetsOf('README.md').filter(({ language }) => language === 'ts');
  expect(await runSnippets(snippets.map(here), {}, ['data', 'id'])).toEqual({
    data: { srrs: { edges: expect.any(Array) } },
    id: expect.any(String),
  });
});

it('every snippet of the client’s README runs, one after the other', async () => {
  const snippets = snippetsOf('packages/client/README.md');
  expect(snippets.length).toBeGreaterThanOrEqual(7);
  expect(new Set(snippets.map(({ language }) => language))).toEqual(new Set(['ts']));
  const lines: unknown[][] = [];
  const stop = new AbortController();
  const externalId = randomUUID();
  // A name holds one content for ever, so each run stores its file under another.
  const filename = `${randomUUID()}.jpg`;
  const renamed = ({ code, ...snippet }: Snippet) => ({
    ...snippet,
    code: code.replace('harbour-at-dusk.jpg', filename),
  });
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
  expect(await runSnippets(snippets.map(here).map(renamed), globals, ['cache', 'exchange'])).toMatchObject({
    cache: expect.any(Object),
    exchange: expect.any(Function),
  });
  expect(lines).toContainEqual(['hashing', 10_000, 10_000]);
  expect(lines).toContainEqual(['COMPLETED', 1]);
  expect(lines).toContainEqual([externalId, expect.stringMatching(/^\d+$/)]);
});
