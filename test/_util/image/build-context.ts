import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { project } from '../gateway-process.ts';

/** The build context of `docker build .`: the checkout with untracked files, without ignored paths. */
export interface BuildContext {
  directory: string;
  /** Whether .dockerignore allows a path below the directory in the image. */
  includes(path: string): boolean;
}

/** Copies the checkout, and adds files that an operator may have in it. */
export async function makeContext(
  directory: string,
  lyingAbout: Record<string, string>,
): Promise<BuildContext> {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: project,
    encoding: 'utf8',
  });
  for (const path of listed.split('\0').filter((one) => one !== '' && existsSync(join(project, one))))
    cpSync(join(project, path), join(directory, path), { verbatimSymlinks: true });
  for (const [path, content] of Object.entries(lyingAbout)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  return { directory, includes: inclusion(readFileSync(join(directory, '.dockerignore'), 'utf8')) };
}

/** By the rules of .dockerignore: the last pattern that matches a path or a folder above it decides. */
function inclusion(ignore: string): (path: string) => boolean {
  const rules = ignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ includes: line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }));
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.includes ?? true;
}

function patternOf(glob: string): RegExp {
  const source = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/\*\*\/|\*\*|\*|\?/g, (wild) => wilds[wild] as string);
  return new RegExp(`^${source}(?:/|$)`);
}

const wilds: Record<string, string> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' };
