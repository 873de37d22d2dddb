import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { ConcreteRequest } from 'relay-runtime';
import { project } from './gateway-process.ts';

/** The result of Relay's compiler for the documents of a page, and its output. */
export interface Compiled {
  output: string;
  request(operation: string): Promise<ConcreteRequest>;
  remove(): Promise<void>;
}

/** Compiles documents against the published schema. Relay requires names that begin with `Page`. */
export async function compileForRelay(documents: readonly string[]): Promise<Compiled> {
  const folder = await mkdtemp(join(tmpdir(), 'relay-'));
  const [src, artifactDirectory] = [join(folder, 'src'), join(folder, 'compiled')];
  await Promise.all([src, artifactDirectory].map((path) => mkdir(path)));
  const config = {
    ...{ src, artifactDirectory, language: 'javascript', eagerEsModules: true },
    schema: join(project, 'schema/gateway.graphql'),
  };
  const write = (path: string, text: string) => writeFile(join(folder, path), text);
  await write('relay.config.json', JSON.stringify(config));
  await write('package.json', '{ "type": "module" }');
  await write('src/Page.js', documents.map((text) => `graphql\`${text}\`;\n`).join(''));
  const compiler = join(project, 'node_modules/.bin/relay-compiler');
  const { stdout, stderr } = await promisify(execFile)(compiler, ['relay.config.json'], { cwd: folder });
  return {
    output: stdout + stderr,
    request: async (name) => {
      const path = join(artifactDirectory, `${name}.graphql.js`);
      return ((await import(pathToFileURL(path).href)) as { default: ConcreteRequest }).default;
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
