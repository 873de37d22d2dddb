import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { project } from './gateway-process.ts';

export interface Snippet {
  /** The language after the backticks, or an empty string. */
  language: string;
  code: string;
  /** The heading above the snippet. */
  heading: string;
}

/** Every block of code of a page, whatever its language. */
export function snippetsOf(page: string): Snippet[] {
  const snippets: Snippet[] = [];
  let heading = '';
  let open: Snippet | undefined;
  for (const line of readFileSync(join(project, page), 'utf8').split('\n')) {
    const [, language] = /^ *```(.*)$/.exec(line) ?? [];
    if (open && language === undefined) open.code += `${line}\n`;
    else if (open) open = undefined;
    else if (language === undefined) heading = /^#+ (.*)/.exec(line)?.[1] ?? heading;
    else {
      open = { language, code: '', heading };
      snippets.push(open);
    }
  }
  return snippets;
}

/**
 * Runs snippets of JavaScript and TypeScript as one program, one after the other, with the project's
 * packages. Takes values for the names that they use but do not declare, and returns the values of the names
 * in `results`.
 */
export async function runSnippets(
  snippets: readonly Snippet[],
  given: Record<string, unknown>,
  results: readonly string[],
): Promise<Record<string, unknown>> {
  // The folder is below the project, so that Node finds its packages.
  const folder = join(project, `node_modules/.cache/snippets-${process.pid}-${Date.now()}`);
  const code = snippets.map((snippet) => snippet.code).join('\n');
  const anImport = /^import .*;$/gm;
  const program = `${code.match(anImport)?.join('\n') ?? ''}
export async function run({ ${Object.keys(given).join(', ')} }) {
${code.replace(anImport, '')}
return { ${results.join(', ')} };
}`;
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'program.js'), stripTypeScriptTypes(program));
    const { run } = await import(pathToFileURL(join(folder, 'program.js')).href);
    return await run(given);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
