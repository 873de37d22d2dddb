import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayProcess, gatewayProcess, project } from '../_util/gateway-process.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';

let gateway: GatewayProcess;

beforeAll(async () => {
  gateway = await gatewayProcess();
  await gateway.start();
});

afterAll(() => gateway.remove());

/** Runs the demo; `onLine` sees each line as it is printed. */
async function demo(options: string[] = [], onLine: (line: string) => void = () => {}) {
  const where = ['--url', gateway.url, '--sandbox', `${gateway.sandboxUrl}/sandbox`];
  return run([...where, ...options], {}, onLine);
}

async function run(
  options: string[],
  env: Record<string, string> = {},
  onLine: (line: string) => void = () => {},
  signal?: AbortSignal,
) {
  const child = spawn(process.execPath, ['examples/demo.ts', ...options], {
    cwd: project,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...env,
    },
  });
  signal?.addEventListener('abort', () => child.kill());
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const line of text.split('\n')) onLine(line);
    });
  const [code] = await once(child, 'close');
  return { code: code as number, output };
}

/** How many records on chain carry the run in their title. */
async function recordsOf(output: string): Promise<number> {
  const run = /\(run (\w+)\)/.exec(output)?.[1];
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      query:
        '{ srrs(first: 50, orderBy: CREATED_AT_DESC) { edges { node { metadata { title { text } } } } } }',
    }),
  });
  const { data } = (await response.json()) as {
    data: { srrs: { edges: { node: { metadata: { title: { text: string } } | null } }[] } };
  };
  return data.srrs.edges.filter(({ node }) => node.metadata?.title.text.includes(`(${run})`)).length;
}

describe('the gallery', () => {
  it('shows its help without starting a server', async () => {
    const parameters = ['examples/gallery/serve.ts', '--help'];
    const { stdout } = await promisify(execFile)(process.execPath, parameters, {
      cwd: project,
      timeout: 30_000,
    });
    expect(stdout).toMatch(/^Usage: npm run gallery\n/);
  });

  it('shows its help for an unknown option', async () => {
    const failed = promisify(execFile)(process.execPath, ['examples/gallery/serve.ts', '--port'], {
      cwd: project,
      timeout: 30_000,
    });
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Unknown option '--port'.*\n\nUsage: npm run gallery\n/),
    });
  });

  it.each(['abc', '65536'])('refuses %s as GALLERY_PORT before it builds anything', async (port) => {
    const failed = promisify(execFile)(process.execPath, ['examples/gallery/serve.ts'], {
      cwd: project,
      timeout: 30_000,
      env: { ...process.env, GALLERY_PORT: port },
    });
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^GALLERY_PORT must/),
    });
  });
});

describe('the demo', () => {
  it('issues three records and reads them back', async () => {
    const { code, output } = await demo();
    expect(output).toContain('✓ 3 records issued, joined and verified');
    expect(code).toBe(0);
    for (const way of ['signedUrl', 'proxyUrl', 'uploadFile']) expect(output).toContain(`uploaded by ${way}`);
    expect(output.match(/VERIFIED/g)).toHaveLength(3);
    expect(output, 'a signed address is a secret').not.toMatch(/signature=|demo-token/i);
    expect(await recordsOf(output)).toBe(3);
  });

  it('survives a kill -9 of the gateway, and issues nothing twice', async () => {
    let restarted: Promise<void> | undefined;
    const { code, output } = await demo([], (line) => {
      if (line.includes('4. Issue')) restarted ??= gateway.stop('SIGKILL').then(() => gateway.start());
    });
    await restarted;
    expect(output).toContain('✓ 3 records issued, joined and verified');
    expect(code).toBe(0);
    expect(await recordsOf(output)).toBe(3);
  });

  it('runs with the command and addresses that the gateway prints at its start', async () => {
    const [, command] = /npm run demo -- (.*)/.exec(gateway.output()) ?? [];
    expect(command).toBe(`--url ${gateway.url} --sandbox ${gateway.sandboxUrl}/sandbox`);
    const pages = [...gateway.output().matchAll(/http:\/\/\S+?(?=[\s<])/g)].map(([page]) => page);
    for (const page of [`${gateway.url}/`, `${gateway.sandboxUrl}/`, `${gateway.sandboxUrl}/docs/`])
      expect(pages).toContain(page);
    // Each printed page answers, except that of the gallery, which has to be started first.
    const [gallery] = /\S+(?=\s+\(once `npm run gallery` runs\))/.exec(gateway.output()) ?? [];
    for (const page of pages.filter((one) => one !== gallery && !/webhooks|\/ipfs\/|:\d+$/.test(one)))
      expect((await fetch(page, { headers: { accept: 'text/html' } })).ok, page).toBe(true);
  });

  it('finds the gateway by the ports of the environment, and suggests --url if nothing answers', async () => {
    const ports = { PORT: new URL(gateway.url).port, SANDBOX_PORT: new URL(gateway.sandboxUrl).port };
    const known = await run(['--token', 'a-token-nobody-knows'], ports);
    expect(known.output).toContain('--token');
    const [closed] = await freePorts(1);
    const leaving = new AbortController();
    const lost = await run(
      [],
      { PORT: String(closed) },
      (line) => {
        if (line.includes('Trying again')) leaving.abort();
      },
      leaving.signal,
    );
    expect(lost.output).toMatch(
      new RegExp(`No answer from http://127.0.0.1:${closed}. Trying again. Is .* --url.\n`),
    );
  });

  it('has a gateway in which the delivery of faults.md and the query of events.md work', async () => {
    const page = (name: string) => readFileSync(join(project, name), 'utf8');
    const [, key = '', delivery = ''] =
      /curl \S+\/webhooks\/commerce .*?x-api-key: (\S+)'.*?-d '(.*?)'\n/s.exec(
        page('packages/sandbox/docs/faults.md'),
      ) ?? [];
    expect(gateway.output()).toContain(`x-api-key: ${key})`);
    // A delivery counts once, so each run has another.
    const externalId = randomUUID();
    const taken = await fetch(`${gateway.url}/webhooks/commerce`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: delivery.replace('made-up-by-hand', externalId),
    });
    expect(await taken.json()).toEqual({ stored: 1, repeated: 0 });
    const caller = new GraphQLCaller(gateway.url, { authorization: 'Bearer demo-token' });
    const [, query = ''] = /```graphql\n(subscription Outcomes.*?)```/s.exec(page('docs/events.md')) ?? [];
    const { events } = await caller.data('{ events(first: 1) { edges { cursor } } }');
    const leaving = new AbortController();
    const seen = [];
    for await (const { data } of caller.subscribe(query, { after: events.edges[0].cursor }, leaving.signal)) {
      seen.push(data.miningOutcomes);
      if (data.miningOutcomes.externalId === externalId) break;
    }
    leaving.abort();
    expect(seen.at(-1)).toMatchObject({ __typename: 'SRRFailed', cursor: expect.any(String) });
  });

  it.each([
    ['url', 'nonsense', 'http:// or https:// address.'],
    ['sandbox', 'nonsense', 'http:// or https:// address.'],
    ['artist', 'nonsense', 'Ethereum address (0x and 40 hex digits).'],
    ['buyer', '0x12', 'Ethereum address (0x and 40 hex digits).'],
  ])('refuses a malformed --%s before it does anything', async (name, value, what) => {
    const { code, output } = await run([`--${name}`, value]);
    expect({ code, output }).toEqual({ code: 1, output: `\n✗ --${name}: ${value} is not an ${what}\n` });
  });

  it('fails with advice for an unknown token, and never prints the token', async () => {
    const { code, output } = await demo(['--token', 'a-token-nobody-knows']);
    expect(code).toBe(1);
    expect(output).toMatch(/token.*--token/s);
    expect(output).not.toContain('a-token-nobody-knows');
  });
});
