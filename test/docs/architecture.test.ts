import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project } from '../_util/gateway-process.ts';

const read = (file: string) => readFileSync(join(project, 'docs', file), 'utf8');
const picture = read('architecture.svg');
const page = read('architecture.md');

interface Text {
  kind: string;
  way: string | undefined;
  text: string;
}

/** The texts of the diagram in document order: each room comes before its numbers and files. */
const texts = [...picture.matchAll(/<text class="(room|file|number)(?: (\w+))?"[^>]*>([^<]+)</g)].map(
  ([, kind = '', way, text = '']): Text => ({ kind, way, text }),
);
const rooms = texts.filter(({ kind }) => kind === 'room').map(({ text }) => text);
const files = texts.flatMap(({ kind, text }, i) =>
  kind === 'file' ? [join(texts.slice(0, i).findLast((one) => one.kind === 'room')?.text ?? '', text)] : [],
);

/** The files on one path by their numbers. */
const filesOnPath = (way: string): Record<string, string> =>
  Object.fromEntries(
    texts.flatMap((one, i) =>
      one.kind === 'number' && one.way === way ? [[one.text, texts[i + 1]?.text ?? '']] : [],
    ),
  );

describe('the architecture diagram', () => {
  it('shows only rooms and files that exist', () => {
    expect(rooms.length).toBeGreaterThan(20);
    expect(files.length).toBeGreaterThan(20);
    expect([...rooms, ...files].filter((path) => !existsSync(join(project, path)))).toEqual([]);
  });

  it('shows every room', () => {
    const folders = globSync(['src/*/', 'src/clients/*/', 'src/graphql/*/', 'packages/*/'], { cwd: project });
    expect(folders.length).toBeGreaterThan(20);
    expect(folders.filter((folder) => !rooms.includes(folder))).toEqual([]);
  });

  it.each(['query', 'issuance'])('numbers the files on the %s path as docs/architecture.md does', (way) => {
    const [, section = ''] = page.split(new RegExp(`^## The path of an? ${way}$`, 'm'));
    const listed = [...(section.split('\n## ')[0] ?? '').matchAll(/^(\d+)\. \[`[^`]+`\]\(([^)]+)\)/gm)];
    expect(listed.length).toBeGreaterThan(5);
    const byNumber = Object.fromEntries(listed.map(([, number, path = '']) => [number, basename(path)]));
    const drawn = Object.entries(filesOnPath(way)).map(([number, file]) => [number, basename(file)]);
    expect(byNumber).toEqual(Object.fromEntries(drawn));
  });
});

describe('the guides', () => {
  const code = globSync(['{src,test,scripts,bench,examples}/**/*.{ts,tsx,js}', 'packages/**/*.ts'], {
    cwd: project,
    exclude: (path) => /node_modules|dist$/.test(path),
  });
  const words = new Set(
    code.flatMap((file) => readFileSync(join(project, file), 'utf8').match(/\b[a-z]\w+/g) ?? []),
  );
  const guides = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'packages/*/docs/*.md'], {
    cwd: project,
    exclude: ['CHANGELOG.md'],
  });

  it.each(guides)('name only functions and fields that exist: %s', (guide) => {
    const text = readFileSync(join(project, guide), 'utf8').replace(/```.*?```/gs, '');
    const named = [...text.matchAll(/`([a-z]+[A-Z]\w*)(?:\(\))?`/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !words.has(name))).toEqual([]);
  });
});
