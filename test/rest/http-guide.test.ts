import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { snippetsOf } from '../_util/doc-snippets.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';
import { project } from '../_util/gateway-process.ts';

const page = 'docs/http.md';
const lines = snippetsOf(page).filter(({ language }) => language === 'sh');
const line = (part: string) => lines.find(({ code }) => code.includes(part))?.code ?? '';

let gateway: TestGateway;
let directory: string;
// Each run has a gateway of its own: the commands use one request id and one filename.
beforeEach(async () => {
  gateway = await startTestGateway();
  directory = mkdtempSync(join(tmpdir(), 'guide-'));
  copyFileSync(join(project, 'examples/files/authenticity-mark.png'), join(directory, 'my-picture.png'));
});
afterEach(async () => {
  await gateway?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Runs commands of the guide unchanged, except for the address and the token. */
async function run(code: string): Promise<string> {
  const mine = code.replaceAll('http://127.0.0.1:4000', gateway.app.url).replaceAll('demo-token', testToken);
  const { stdout } = await promisify(execFile)('sh', ['-euc', mine], { cwd: directory });
  return stdout;
}

describe('the guide to plain HTTP', () => {
  it('issues, follows, lists and reads a record with its commands', async () => {
    expect(await run(line('spring-2026",'))).toMatch(
      /^HTTP\/1\.1 202 [\s\S]*^location: \/issuances\/spring-2026\r$/m,
    );
    const readIssuance = async () => JSON.parse(await run(line('/issuances/spring-2026 ')));
    await expect.poll(readIssuance, { timeout: 20_000 }).toMatchObject({
      status: 'COMPLETED',
      entries: { items: [{ externalId: 'glass-orchard', status: 'ISSUED', srr: { indexing: 'INDEXED' } }] },
    });
    expect(await run(line('spring-2026",'))).toMatch(/^HTTP\/1\.1 200 /);
    const record = { metadata: { name: 'Glass Orchard' }, owner: gateway.issuer.address };
    expect(JSON.parse(await run(line('expr ')))).toMatchObject(record);
    expect(await run(line('curl -sI'))).toMatch(/^HTTP\/1\.1 200 [\s\S]*^etag: /m);
  });

  it('shows a problem document as the gateway sends it', async () => {
    const example = snippetsOf(page).find(({ language }) => language === 'json')?.code ?? '';
    expect(JSON.parse(await run(line('owner=0x12')))).toEqual(JSON.parse(example));
  });

  it('stores a file with its command', async () => {
    const stored = { category: 'non_attachment_file', filename: 'my-picture.png' };
    expect(JSON.parse(await run(line('-T my-picture.png')))).toEqual({ stored });
  });

  it('has no command that is not tested, and names every route', () => {
    expect(lines).toHaveLength(6);
    const { paths } = JSON.parse(readFileSync(join(project, 'schema/openapi.json'), 'utf8'));
    const guide = readFileSync(join(project, page), 'utf8');
    const routes = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((one) => one !== 'parameters')
        .map((method) => `| \`${method.toUpperCase()} ${path}\` |`),
    );
    expect(routes.filter((row) => !guide.includes(row))).toEqual([]);
  });
});
