import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSnippets, type Snippet, snippetsOf } from '../_util/doc-snippets.ts';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';
import { project } from '../_util/gateway-process.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { type IdentityProvider, startIdentityProvider } from '../_util/identity-provider.ts';

// Runs all examples of the guide for clients, in order, against one gateway.

const snippets = snippetsOf('docs/clients.md');
const of = (...languages: string[]) => snippets.filter(({ language }) => languages.includes(language));

const hasCurl = spawnSync('curl', ['--version']).status === 0;

let gateway: TestGateway;
let provider: IdentityProvider;
let folder: string;
beforeAll(async () => {
  provider = await startIdentityProvider();
  const { iss, aud } = JSON.parse(of('json')[0]?.code ?? '{}');
  gateway = await startTestGateway({
    env: { JWT_JWKS_URL: provider.jwksUrl, JWT_ISSUER: iss, JWT_AUDIENCE: aud },
  });
  folder = await mkdtemp(join(tmpdir(), 'guide-'));
  // The working directory of the commands: a front end's project with the files that the guide names.
  await cp(join(project, 'packages/client/codegen.ts'), join(folder, 'codegen.ts'));
  await symlink(join(project, 'examples'), join(folder, 'examples'));
  await symlink(join(project, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await mkdir(join(folder, 'src'));
  const document =
    "import { graphql } from './gql';\ngraphql(`query Newest { srrs(first: 3) { edges { node { tokenId } } } }`);\n";
  await writeFile(join(folder, 'src/newest.ts'), document);
});
afterAll(async () => {
  await gateway?.stop();
  await provider?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** The file of the commands. A name holds one content for ever, so each run of the upload has another. */
let filename = '';
const here = (code: string) =>
  code
    .replaceAll('http://127.0.0.1:4000', gateway.app.url)
    .replaceAll('demo-token', testToken)
    .replaceAll('harbour-4711.jpg', filename);

/** What the commands under a heading print. */
const expectedOutput: Record<string, RegExp> = {
  'Upload a file': /"id":"\w+=*".*"stored":/s,
  'Issue records': /"issuance":\{"id":"\w+=*"/,
  'Call from another origin (CORS)': /^access-control-allow-origin: \*/m,
};

/**
 * How to run a snippet of each language. They run in the order of the page, since later ones depend on earlier ones.
 */
const runners: Record<string, (snippet: Snippet) => Promise<void>> = {
  sh: async ({ code, heading }) => {
    if (heading === 'Upload a file') filename = `${randomUUID()}.jpg`;
    const { stdout } = await promisify(execFile)('sh', ['-euc', here(code)], { cwd: folder });
    expect(stdout).not.toMatch(/"errors":|"error":|"userErrors":\[\{/);
    expect(stdout).toMatch(expectedOutput[heading] ?? '');
  },
  graphql: async ({ code }) => {
    const [operation] = parse(code).definitions;
    if (operation?.kind !== 'OperationDefinition') throw new Error('it is no operation');
    if (operation.operation !== 'subscription') {
      const { data, errors } = await gateway.caller.ask(code);
      expect(errors).toBeUndefined();
      expect(Object.values(data)).not.toContain(null);
      return;
    }
    const stop = new AbortController();
    for await (const { data, errors } of gateway.caller.subscribe(code, {}, stop.signal)) {
      expect(errors).toBeUndefined();
      expect(Object.values(data)).toMatchObject([{ cursor: expect.any(String), externalId: '4711-1' }]);
      break;
    }
    stop.abort();
  },
  json: async ({ code }) => {
    const token = await provider.token({ ...JSON.parse(code), srr_issuer: gateway.issuer.address });
    const caller = new GraphQLCaller(gateway.app.url, { authorization: `Bearer ${token}` });
    expect(await caller.data('{ viewer { issuer scopes } }')).toEqual({
      viewer: { issuer: gateway.issuer.address, scopes: ['READ', 'ISSUE'] },
    });
  },
};

describe('the guide for clients', () => {
  it('has a heading for each task', () => {
    const headings = snippets.map(({ heading }) => heading);
    expect(snippets.length).toBeGreaterThan(10);
    for (const task of [
      'Upload',
      'Issue',
      'Follow',
      'Show',
      'Page',
      'Cache',
      'Generate types',
      'Sign in',
      'CORS',
    ])
      expect(
        headings.filter((heading) => heading.includes(task)),
        task,
      ).not.toEqual([]);
  });

  it('has only snippets in languages that the test can run', () => {
    const known = [...Object.keys(runners), 'ts', 'js'];
    expect(snippets.filter(({ language }) => !known.includes(language))).toEqual([]);
  });

  it.for(of('sh', 'graphql', 'json'))('runs the $language under “$heading”', async (snippet, { skip }) => {
    skip(!hasCurl, 'curl is not installed, and later snippets need what its commands do');
    await runners[snippet.language]?.(snippet);
  });

  // One search looks for the artist of the record that the commands issue.
  it.skipIf(!hasCurl)('has searches that find something at the sandbox', async () => {
    const text = await readFile(join(project, 'docs/clients.md'), 'utf8');
    const searches = [...text.matchAll(/`(\w+\(where: [^`$…]*\))`/g)].map(([, search]) => search);
    expect(searches).toHaveLength(2);
    for (const search of searches) {
      const query = `{ list: ${search} { edges { node { id } } } }`;
      const found = async () => (await gateway.anonymous.data(query)).list.edges.length;
      await expect.poll(found, { message: search }).toBeGreaterThan(0);
    }
  });

  it('runs its programs, one after the other', async () => {
    // Cache settings are covered by test/graphql/client-caches.test.ts.
    const results = ['entries', 'page', 'typePolicies', 'graphcache'];
    const programs = of('ts', 'js').map((snippet) => ({ ...snippet, code: here(snippet.code) }));
    const globals = {
      entryWith: (upload: string) => entry(gateway.info, randomUUID(), { upload }),
      requestId: randomUUID(),
      ask: (text: string, variables: Record<string, unknown>) => gateway.anonymous.ask(text, variables),
      text: 'query ($after: String) { srrs(first: 5, after: $after) { pageInfo { endCursor } edges { node { id } } } }',
    };
    const values = (await runSnippets(programs, globals, results)) as {
      entries: object[];
      page(after?: string): Promise<{ srrs: { pageInfo: { endCursor: string }; edges: object[] } }>;
    };
    expect(values.entries).toMatchObject([{ status: 'ISSUED' }]);
    const { srrs } = await gateway.anonymous.data(
      '{ srrs(first: 1) { pageInfo { endCursor } edges { node { id } } } }',
    );
    // A cursor of a block that is on no chain.
    const parts = JSON.parse(Buffer.from(srrs.pageInfo.endCursor, 'base64url').toString());
    parts[2] = `0x${'ab'.repeat(32)}`;
    const lost = Buffer.from(JSON.stringify(parts)).toString('base64url');
    const whole = await values.page();
    expect([...srrs.edges, ...(await values.page(lost)).srrs.edges]).toEqual(whole.srrs.edges);
    expect(whole.srrs.edges.length).toBeGreaterThan(1);
  });

  it.skipIf(!hasCurl)('has types generated by its command', async () => {
    expect(await readdir(join(folder, 'src/gql'))).toContain('graphql.ts');
  });
});
