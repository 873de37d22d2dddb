import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';
import { project } from '../_util/gateway-process.ts';

let gateway: TestGateway;
// Below the project, so that its packages are found.
const folder = join(project, `node_modules/.cache/readme-${process.pid}`);
beforeAll(async () => {
  gateway = await startTestGateway();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await gateway?.stop();
});

it('every snippet of the client’s README runs, one after the other', async () => {
  const readme = await readFile(join(project, 'packages/client/README.md'), 'utf8');
  const snippets = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
  expect(snippets.length).toBeGreaterThanOrEqual(6);
  const imports = snippets.join('').match(/^import .*;$/gm) ?? [];
  const rest = snippets.map((code) => code.replace(/^import .*;$/gm, '')).join('');
  const program = `${imports.join('\n')}
export async function run({ file, externalId, artistAddress, requestId, load, store, signal, console }) {
${rest.replace('http://127.0.0.1:4000', gateway.app.url).replace("'demo-token'", `'${testToken}'`)}
return { cache, exchange };
}`;
  const path = join(folder, 'readme.js');
  await writeFile(path, stripTypeScriptTypes(program));
  const { run } = (await import(pathToFileURL(path).href)) as { run(given: object): Promise<object> };
  const lines: unknown[][] = [];
  const stop = new AbortController();
  const externalId = randomUUID();
  const given = {
    file: new Blob([randomBytes(10_000)]),
    externalId,
    artistAddress: gateway.info.artists[0]?.address,
    requestId: randomUUID(),
    load: () => undefined,
    store: () => stop.abort(),
    signal: stop.signal,
    console: { log: (...words: unknown[]) => lines.push(words) },
  };
  expect(await run(given)).toMatchObject({ cache: expect.any(Object), exchange: expect.any(Function) });
  expect(lines).toContainEqual(['hashing', 10_000, 10_000]);
  expect(lines).toContainEqual(['COMPLETED', 1]);
  expect(lines).toContainEqual([externalId, expect.stringMatching(/^\d+$/)]);
});
