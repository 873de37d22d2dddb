import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { envSchema } from '../../src/config/env.ts';
import { issuersFromJson } from '../../src/config/issuers.ts';

const project = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(project, path), 'utf8');
const readme = read('README.md');

/** The names in backticks in a table cell. */
const quoted = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);

const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^\| `[A-Z]/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, names, meaning, standard]) => ({ names: quoted(names), meaning, standards: quoted(standard) }));
const rows = rowsOf(read('docs/configuration.md'));

describe('README and docs', () => {
  it('list exactly the variables that the gateway reads', () => {
    expect(rows.flatMap(({ names }) => names).sort()).toEqual(Object.keys(envSchema.shape).sort());
  });

  it('state the actual defaults', () => {
    const actual: Record<string, unknown> = envSchema.parse({});
    const text = (value: unknown) =>
      typeof value === 'boolean' ? (value ? 'on' : 'off') : typeof value === 'object' ? '{}' : String(value);
    for (const { names, standards } of rows) {
      const expected = names.filter((name) => actual[name] !== undefined).map((name) => text(actual[name]));
      // A variable without a default may describe in words what happens instead, and name other variables.
      if (expected.length > 0) expect([names, standards]).toEqual([names, expected]);
    }
  });

  it('describe a variable in the same words in both places', () => {
    const inReadme = rowsOf(readme);
    expect(inReadme.length).toBeGreaterThan(5);
    for (const row of inReadme) expect(rows).toContainEqual(row);
  });

  it('list every cache of the code in docs/prepared-reads.md', () => {
    const page = read('docs/prepared-reads.md');
    const files = globSync(['src/**/*.ts', 'packages/common/src/**/*.ts'], { cwd: project });
    const caches = files.filter((file) => !file.endsWith('.test.ts') && read(file).includes('new LRUCache'));
    expect(caches.length).toBeGreaterThan(15);
    expect(caches.filter((file) => !page.includes(`](../${file})`))).toEqual([]);
  });

  const pages = [
    'README.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
    'AGENTS.md',
    'CHANGELOG.md',
    ...globSync(['docs/**/*.md', 'packages/*/*.md', 'packages/*/docs/**/*.md', 'examples/*/*.md'], {
      cwd: project,
    }),
  ];
  /** The anchors that GitHub gives to the headings of a page. */
  const anchorsOf = (file: string) =>
    [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    );

  it.each(pages)('have only working links: %s', (file) => {
    const links = [...read(file).matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)].filter(
      ([, path = '']) => !path.startsWith('http'),
    );
    const broken = links.filter(([, path, heading]) => {
      const target = path ? join(dirname(file), path) : file;
      return (
        !existsSync(join(project, target)) || (heading !== undefined && !anchorsOf(target).includes(heading))
      );
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('name every npm script in CONTRIBUTING.md', () => {
    const { postinstall, ...scripts } = JSON.parse(read('package.json')).scripts;
    const named = [...read('CONTRIBUTING.md').matchAll(/`[^`\n]*`/g)].map(([code]) => code).join('\n');
    const missing = Object.keys(scripts).filter((name) => !new RegExp(`\\b${name}(?![\\w:])`).test(named));
    expect(missing).toEqual([]);
  });

  it('have a release note for the version that all packages share', () => {
    const packages = ['package.json', ...globSync('packages/*/package.json', { cwd: project })];
    const versions = new Set(packages.map((file) => JSON.parse(read(file)).version));
    expect(versions.size).toBe(1);
    expect(read('CHANGELOG.md')).toMatch(
      new RegExp(`^## \\[${[...versions][0]}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm'),
    );
  });

  it('show a valid list of issuers', () => {
    const [, example = ''] = /```json\n(.*?)```/s.exec(readme) ?? [];
    expect(issuersFromJson.safeParse(JSON.parse(example))).toMatchObject({ success: true });
  });

  it.each(['README.md', 'docs/events.md'])('show queries that are valid against the schema: %s', (file) => {
    const schema = buildSchema(read('schema/gateway.graphql'));
    const page = read(file);
    const blocks = [...page.matchAll(/```graphql\n(.*?)```/gs)].map((match) => match[1] as string);
    const inCurl = [...page.matchAll(/"query": ?"([^"]*)"/g)].map((match) => match[1] as string);
    expect(blocks.length + inCurl.length).toBeGreaterThan(1);
    for (const query of [...blocks, ...inCurl]) expect(validate(schema, parse(query))).toEqual([]);
  });
});
