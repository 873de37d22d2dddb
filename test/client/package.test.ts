import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import * as entrance from '@srr-gateway/client';
import { possibleTypes, scrolling, typePolicies } from '@srr-gateway/client/apollo';
import { schema as introspection, keys } from '@srr-gateway/client/graphcache';
import { cacheExchange } from '@urql/exchange-graphcache';
import { buildSchema, isAbstractType, isEnumType, isObjectType, Kind, parse, print, visit } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { textOf } from '../../packages/client/dist/document.js';
import { Messages } from '../../packages/client/dist/sse.js';
import { clientBundle } from '../../scripts/print-sizes.ts';
import { entry } from '../_util/entries.ts';
import { startTestGateway, testToken } from '../_util/gateway.ts';
import { project } from '../_util/gateway-process.ts';

const run = promisify(execFile);
const home = join(project, 'packages/client');
const bin = (name: string) => join(project, 'node_modules/.bin', name);
const schema = buildSchema(await readFile(join(project, 'schema/gateway.graphql'), 'utf8'));
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-package-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the bundle for pages', () => {
  it('is at most 15 KB compressed, including the hash library, and imports nothing of Node', async () => {
    const { code, imports, files, compressed } = await clientBundle();
    expect(compressed).toBeLessThanOrEqual(15 * 1024);
    expect({ imports, files }).toEqual({ imports: [], files: 1 });
    expect(code).not.toMatch(/node:|__typename:/);
  });
});

/** A Node 20 on the PATH, the oldest version that the package supports. */
const node20 = (process.env.PATH ?? '')
  .split(delimiter)
  .map((directory) => join(directory, 'node'))
  .find(
    (path) => existsSync(path) && execFileSync(path, ['--version'], { encoding: 'utf8' }).startsWith('v20.'),
  );
if (!node20) console.warn('The client is not run on Node 20: none is on the PATH.');

describe('the tarball', () => {
  let app = '';
  beforeAll(async () => {
    const dependency = join(project, 'node_modules/@noble/hashes');
    const { stdout } = await run('npm', ['pack', '--json', home, dependency], { cwd: folder });
    const packed = JSON.parse(stdout) as
      | { filename: string; files: { path: string }[] }[]
      | Record<string, never>;
    const tarballs = (Object.values(packed) as { filename: string; files: { path: string }[] }[]).map(
      ({ filename }) => `./${filename}`,
    );
    expect(tarballs).toHaveLength(2);
    app = join(folder, 'app');
    await mkdir(app);
    await writeFile(join(app, 'package.json'), '{ "type": "module", "private": true }');
    await run(
      'npm',
      ['install', '--offline', '--no-audit', '--no-fund', ...tarballs.map((one) => `.${one}`)],
      { cwd: app },
    );
  });

  /** Links a package of the project into the app. A retry finds the link of the first attempt. */
  const link = async (name: string) => {
    const path = join(app, 'node_modules', name);
    await mkdir(dirname(path), { recursive: true });
    await rm(path, { force: true });
    await symlink(join(project, 'node_modules', name), path);
  };

  it('has the license that its package.json names', async () => {
    const { license } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
    const text = await readFile(join(app, 'node_modules/@srr-gateway/client/LICENSE'), 'utf8');
    expect(text).toMatch(new RegExp(`^${license} License`));
  });

  it('compiles under strict rules where it is installed, and runs there', async () => {
    await writeFile(
      join(app, 'use.ts'),
      `import { createClient, FilenameTakenError, type IssueEntryInput, type GatewayEvent } from '@srr-gateway/client';
import { keys, schema } from '@srr-gateway/client/graphcache';
import { possibleTypes, typePolicies } from '@srr-gateway/client/apollo';
const client = createClient({ url: 'http://127.0.0.1:1/graphql', token: 'a', retryForMs: 0 });
export async function use(entries: readonly IssueEntryInput[]): Promise<string> {
  const { data } = await client.query<{ viewer: { issuer: string } | null }>('{ viewer { issuer } }');
  const { id } = await client.upload(new Blob(['a']), { filename: 'a.txt', category: 'ARTWORK' });
  for await (const { status } of client.issue(entries, { requestId: id }).status) status satisfies string;
  await client.follow({ onEvent: (event: GatewayEvent) => event.cursor, save: (cursor) => cursor.length });
  const { env } = globalThis as unknown as { env: { token?: string; progress?: () => void; signal?: AbortSignal } };
  createClient({ url: '/graphql', token: env.token });
  const other = createClient({ url: '/graphql', token: () => env.token ?? null, headers: undefined, retryForMs: undefined });
  await other.upload(new Blob(['a']), { filename: 'a.txt', category: 'ARTWORK', onProgress: env.progress, signal: env.signal });
  const results = other.subscribe<{ events: { cursor: string } }>('subscription { events { cursor } }', { after: 'a' }, env.signal);
  for await (const { data } of results) data.events.cursor satisfies string;
  // @ts-expect-error: no such category
  await client.upload(new Blob(['a']), { filename: 'a.txt', category: 'PICTURE' }).catch((error) => error instanceof FilenameTakenError);
  return data.viewer?.issuer ?? String([keys, schema, possibleTypes, typePolicies].length);
}
`,
    );
    const strict = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    const target = ['--target', 'es2022', '--types', ''];
    // As a bundler for browsers resolves it, without the types of Node.
    const page = [
      '--module',
      'preserve',
      '--moduleResolution',
      'bundler',
      '--lib',
      'es2023,dom,dom.iterable,dom.asynciterable',
    ];
    await run(bin('tsc'), [...strict, ...target, ...page, 'use.ts'], { cwd: app });
    // As Node resolves it.
    for (const name of ['@types/node', 'undici-types']) await link(name);
    const node = [
      '--module',
      'nodenext',
      '--moduleResolution',
      'nodenext',
      '--lib',
      'es2023',
      '--types',
      'node',
    ];
    await run(bin('tsc'), [...strict, '--target', 'es2022', ...node, 'use.ts'], { cwd: app });
    // As a bundler for Node resolves it.
    await writeFile(
      join(app, 'path.ts'),
      `import { createClient } from '@srr-gateway/client';
export const upload = createClient({ url: '/graphql' }).upload('a.png', { category: 'ARTWORK' });
`,
    );
    const conditions = ['--customConditions', 'node', '--types', 'node'];
    await run(bin('tsc'), [...strict, '--target', 'es2022', ...page, ...conditions, 'path.ts'], { cwd: app });
    await writeFile(
      join(app, 'run.js'),
      `import { createClient } from '@srr-gateway/client';
const client = createClient({ url: 'http://127.0.0.1:1/graphql', retryForMs: 0 });
const error = await client.upload('run.js', { category: 'ARTWORK' }).catch((thrown) => thrown);
console.log(error.code, Object.keys(await import('@srr-gateway/client/apollo')).join());`,
    );
    const ran = await run(process.execPath, ['run.js'], { cwd: app });
    expect(ran).toMatchObject({ stdout: 'NO_ANSWER possibleTypes,scrolling,typePolicies\n', stderr: '' });
    const program = "console.log(typeof require('@srr-gateway/client').createClient)";
    await writeFile(join(app, 'common.cjs'), program);
    for (const one of [process.execPath, node20 ?? []].flat())
      expect((await run(one, ['common.cjs'], { cwd: app })).stdout).toBe('function\n');
  }, 120_000);

  it.skipIf(!node20)(
    'asks, uploads, issues and follows on Node 20',
    async () => {
      const gateway = await startTestGateway();
      onTestFinished(() => gateway.stop());
      await link('ws');
      const externalId = randomUUID();
      const order = entry(gateway.info, externalId, { upload: '' });
      await writeFile(
        join(app, 'whole-way.js'),
        `import { Readable } from 'node:stream';
import { createClient } from '@srr-gateway/client';
import { WebSocket } from 'ws';
const [url, token, order] = process.argv.slice(2);
const client = createClient({ url, token });
const { data } = await client.query('{ viewer { issuer } }');
const upload = (source, filename, via) => client.upload(source, { filename, category: 'NON_ATTACHMENT_FILE', via });
const { id } = await upload('whole-way.js', 'path.png', 'signedUrl');
const others = [await upload(new Blob(['a blob']), 'blob.png', 'proxyUrl'), await upload(Readable.from([Buffer.from('a stream')]), 'stream.png', 'uploadFile')];
const entry = JSON.parse(order.replaceAll('"upload":""', '"upload":' + JSON.stringify(id)));
const states = [];
const issuing = client.issue([entry], { requestId: 'on-node-20' });
for await (const { status } of issuing.status) states.push(status);
const { entries } = await issuing.done;
const seen = [];
for (const transport of ['sse', 'websocket']) {
  const stop = new AbortController();
  const onEvent = (event) => { seen.push(event.externalId); stop.abort(); };
  await createClient({ url, token, transport, webSocketImpl: WebSocket }).follow({ from: 'BEGINNING', onEvent, signal: stop.signal });
}
console.log(JSON.stringify({ issuer: data.viewer.issuer, uploads: others.length, state: states.at(-1), issued: entries[0].status, seen }));`,
      );
      const { stdout } = await run(
        node20 as string,
        ['whole-way.js', `${gateway.app.url}/graphql`, testToken, JSON.stringify(order)],
        { cwd: app, timeout: 60_000 },
      );
      expect(JSON.parse(stdout)).toEqual({
        issuer: gateway.info.issuers[0]?.address,
        uploads: 2,
        state: 'COMPLETED',
        issued: 'ISSUED',
        seen: [externalId, externalId],
      });
    },
    120_000,
  );
});

describe('the recipe for generated types', () => {
  it('types documents for the client', async () => {
    const app = await mkdtemp(join(folder, 'typed-'));
    await mkdir(join(app, 'src'));
    await cp(join(home, 'codegen.ts'), join(app, 'codegen.ts'));
    await symlink(join(project, 'node_modules'), join(app, 'node_modules'));
    await writeFile(join(app, 'package.json'), '{ "type": "module" }');
    await writeFile(
      join(app, 'src/use.ts'),
      `import { createClient } from '@srr-gateway/client';
import { graphql } from './gql/index.js';
const followed = graphql(\`subscription Followed($after: String, $from: EventStart, $where: EventFilter) { events(after: $after, from: $from, where: $where) { cursor source } }\`);
const newest = graphql(\`query Newest($first: Int!) { srrs(first: $first) { edges { node { tokenId metadata { title { all } } } } } }\`);
export async function use() {
  const client = createClient({ url: '/graphql' });
  const { data } = await client.query(newest, { first: 3 });
  const title: Record<string, string> | undefined = data.srrs.edges?.[0]?.node?.metadata?.title?.all;
  await client.follow({ document: followed, onEvent: (event) => event.source satisfies string });
  // @ts-expect-error: the document does not ask for it
  await client.follow({ document: followed, onEvent: (event) => event.receivedAt });
  // @ts-expect-error: first is a number
  await client.query(newest, { first: '3' });
  // @ts-expect-error: first is required
  await client.query(newest);
  return title;
}
`,
    );
    const env = { ...process.env, SCHEMA: join(project, 'schema/gateway.graphql') };
    await run(bin('graphql-codegen'), ['--config', 'codegen.ts'], { cwd: app, env });
    const page = ['--target', 'es2022', '--module', 'preserve', '--moduleResolution', 'bundler'];
    await run(bin('tsc'), ['--strict', '--noEmit', '--skipLibCheck', ...page, 'src/use.ts'], { cwd: app });
    const made = await readdir(join(app, 'src/gql'));
    expect(made).toContain('graphql.ts');

    const recipe = await readFile(join(app, 'codegen.ts'), 'utf8');
    const texts = await Promise.all(made.map((name) => readFile(join(app, 'src/gql', name), 'utf8')));
    const imported = [...texts.join('').matchAll(/ from '([^.'][^']*)'/g)].map(([, name]) => name);
    // Under pnpm, code can import only packages that its project names.
    expect([...new Set(imported)].filter((name) => !recipe.includes(` ${name}`))).toEqual([]);
    expect(imported).not.toEqual([]);
    await writeFile(
      join(app, 'codegen.ts'),
      recipe
        .replace("// importExtension: '.js'", "importExtension: '.js'")
        .replace('useTypeImports: true,', 'useTypeImports: true, strictScalars: true,'),
    );
    await run(bin('graphql-codegen'), ['--config', 'codegen.ts'], { cwd: app, env });
    const node = ['--target', 'es2022', '--module', 'nodenext', '--types', 'node'];
    await run(bin('tsc'), ['--strict', '--noEmit', '--skipLibCheck', ...node, 'src/use.ts'], { cwd: app });
    // Two generators and two compilers are started one after another.
  }, 120_000);
});

describe('errors', () => {
  it('have a class for each code of the schema', () => {
    const codes = schema.getType('ErrorCode');
    if (!isEnumType(codes)) throw new Error('the schema has no ErrorCode');
    const classes = Object.entries(entrance).filter(([name]) => /Error$/.test(name));
    for (const { name: code } of codes.getValues()) {
      const name = code.toLowerCase().replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
      const [, Class] = classes.find(([one]) => one === `${name.replace(/Error$/, '')}Error`) ?? [];
      expect(Class, code).toHaveProperty('prototype');
    }
  });
});

describe('the documents', () => {
  it('of events select fields of each type of event', async () => {
    const text = await readFile(join(home, 'src/operations/events.graphql'), 'utf8');
    const event = schema.getType('Event');
    if (!isAbstractType(event)) throw new Error('the schema has no Event');
    const types = schema.getPossibleTypes(event).map(({ name }) => name);
    expect(types.length).toBeGreaterThan(5);
    expect(types.filter((name) => !text.includes(`... on ${name} {`))).toEqual([]);
  });
});

describe('caches', () => {
  const objects = Object.values(schema.getTypeMap()).filter(isObjectType);
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const embedded = objects
    .filter((type) => !type.name.startsWith('__') && !roots.includes(type) && !type.getFields().id)
    .map(({ name }) => name);

  it('know the possible types of each abstract type, and which types have no id', () => {
    const abstract = Object.values(schema.getTypeMap()).filter(isAbstractType);
    for (const type of abstract.filter(({ name }) => !name.startsWith('__')))
      expect(possibleTypes[type.name]?.toSorted()).toEqual(
        schema
          .getPossibleTypes(type)
          .map(({ name }) => name)
          .toSorted(),
      );
    expect(Object.keys(typePolicies).toSorted()).toEqual(embedded.toSorted());
    expect(Object.keys(keys).toSorted()).toEqual(embedded.toSorted());
  });

  it('merge the fields that a list and a detail page read of one object', () => {
    const warn = vi.spyOn(console, 'warn');
    const cache = new InMemoryCache({ typePolicies: scrolling(relayStylePagination), possibleTypes });
    const query = (fields: string) =>
      parse(`{ node(id: "1") { id ... on SRR { royalty { ${fields} __typename } } __typename } }`);
    const royalty = { __typename: 'Royalty' };
    const write = (fields: string, data: object) =>
      cache.writeQuery({
        query: query(fields),
        data: { node: { __typename: 'SRR', id: '1', royalty: { ...royalty, ...data } } },
      });
    write('percent', { percent: 10 });
    write('basisPoints', { basisPoints: 1000 });
    expect(cache.readQuery({ query: query('percent basisPoints') })).toMatchObject({
      node: { royalty: { percent: 10, basisPoints: 1000 } },
    });
    expect(() => cacheExchange({ keys, schema: introspection })).not.toThrow();
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});

describe('a document', () => {
  it('is printed from its syntax tree as graphql-js prints it', async () => {
    const queries = join(project, 'test/client-queries');
    for (const name of await readdir(queries)) {
      const document = parse(await readFile(join(queries, name), 'utf8'), { noLocation: true });
      expect(print(parse(textOf(document)))).toBe(print(document));
    }
    const corners = parse(
      'query A($a: [Int!]! = [1 2] @b) @c { x: y(z: {a: "\\"é\\n", b: null, c: ENUM, d: $a, e: 1.5, f: true}) { ... @include(if: true) { a } ...F } } fragment F on T { b }',
      { noLocation: true },
    );
    expect(print(parse(textOf(corners)))).toBe(print(corners));
    const source =
      ' # as it was written\n{\n  a(b: 1, c: 2) { ... on T { d } }, ...F\n}\nfragment F on T { e f }\n';
    expect(textOf(parse(source))).toBe(source);
    expect(textOf(new String('{ a }'))).toBe('{ a }');
    expect(() => textOf({})).toThrow(TypeError);
  });

  it.each([
    [
      'lost a blank',
      visit(parse('{ a b }'), {
        SelectionSet: () => ({
          kind: Kind.SELECTION_SET,
          selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'ab' } }],
        }),
      }),
    ],
    [
      'was changed',
      visit(parse('{ a { b } }'), { Field: { leave: (one) => ({ ...one, alias: one.name }) } }),
    ],
    [
      'got the fragments that its source imports',
      {
        ...parse('# import F\n{ a { ...F } }'),
        definitions: ['{ a { ...F } }', 'fragment F on T { b }'].flatMap((text) => parse(text).definitions),
      },
    ],
    [
      'was changed behind a text',
      visit(parse('{ a(b: "#") { c } }'), { Name: { leave: (one) => ({ ...one, value: 'd' }) } }),
    ],
  ])('is what its syntax tree is, though that has the source from before it %s', (_, document) => {
    expect(print(parse(textOf(document)))).toBe(print(document));
  });
});

describe('an event stream', () => {
  const readIn = (size: number, bytes: Uint8Array) => {
    const messages = new Messages();
    const read = [];
    for (let at = 0; at < bytes.length; at += size)
      read.push(...messages.take(bytes.subarray(at, at + size)));
    return read;
  };

  it('is parsed however it is split and with every kind of line break', () => {
    const text =
      ':\n\nretry: 1500\n\nevent: next\nid: 1\ndata: {"a":\ndata: "é"}\n\nevent: complete\ndata:\n\n';
    const expected = [
      { event: 'message', data: '' },
      { event: 'message', data: '', retry: 1500 },
      { event: 'next', data: '{"a":\n"é"}' },
      { event: 'complete', data: '' },
    ];
    for (const ending of ['\n', '\r\n', '\r']) {
      const bytes = new TextEncoder().encode(text.replaceAll('\n', ending));
      for (let size = 1; size <= bytes.length; size++) expect(readIn(size, bytes)).toEqual(expected);
    }
  });

  it('with a message of 16 MB is not parsed in quadratic time', { timeout: 20_000 }, () => {
    const data = 'x'.repeat(16_000_000);
    const read = readIn(16_384, new TextEncoder().encode(`event: next\ndata: ${data}\n\n`));
    expect(read).toMatchObject([{ event: 'next' }]);
    expect(read[0]?.data.length).toBe(data.length);
  });
});
