import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayProcess, gatewayProcess, project } from './_util/gateway-process.ts';

let gateway: GatewayProcess;

beforeAll(async () => {
  gateway = await gatewayProcess();
  await gateway.start();
});

afterAll(() => gateway.remove());

/** Runs the demo; `onLine` sees each line as it is printed. */
async function demo(options: string[] = [], onLine: (line: string) => void = () => {}) {
  const child = spawn(
    process.execPath,
    ['examples/demo.ts', '--url', gateway.url, '--sandbox', `${gateway.sandboxUrl}/sandbox`, ...options],
    { cwd: project },
  );
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

  it('goes on through a kill -9 of the gateway, and nothing is issued twice', async () => {
    let restarted: Promise<void> | undefined;
    const { code, output } = await demo([], (line) => {
      if (line.includes('4. Issue')) restarted ??= gateway.stop('SIGKILL').then(() => gateway.start());
    });
    await restarted;
    expect(output).toContain('✓ 3 records issued, joined and verified');
    expect(code).toBe(0);
    expect(await recordsOf(output)).toBe(3);
  });

  it('fails with words to act on, and never repeats the token', async () => {
    const { code, output } = await demo(['--token', 'a-token-nobody-knows']);
    expect(code).toBe(1);
    expect(output).toMatch(/token.*--token/s);
    expect(output).not.toContain('a-token-nobody-knows');
  });
});
