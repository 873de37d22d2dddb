import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const project = join(import.meta.dirname, '..');

/** The client package as a page's bundler makes it, the library for hashes included. */
export async function clientBundle() {
  const input = join(project, 'packages/client/dist/index.js');
  const bundle = await rolldown({ input, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  const [{ code, imports }] = output;
  return { code, imports, files: output.length, compressed: gzipSync(code).length };
}

/** As the gateway sends GraphiQL. */
const brotli5 = (text: string) =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).length;

async function sizes(): Promise<[what: string, bytes: number, compressed: number][]> {
  const { code, compressed } = await clientBundle();
  const { css, js } = await import('@graphql-yoga/render-graphiql/graphiql');
  const total = (texts: readonly string[], pack: (text: string) => number): [number, number] => [
    texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    texts.reduce((sum, text) => sum + pack(text), 0),
  ];
  const gallery = join(project, 'examples/gallery/dist');
  const read = (path: string) => readFileSync(join(gallery, path), 'utf8');
  const files = existsSync(gallery) ? globSync('**/*.{html,js,css}', { cwd: gallery }).map(read) : [];
  return [
    ['@srr-gateway/client (gzip; at most 15 KB)', Buffer.byteLength(code), compressed],
    ['GraphiQL: script and style (brotli)', ...total([css, js], brotli5)],
    [
      files.length > 0 ? 'gallery: all of its own files (brotli)' : 'gallery: not built (npm run gallery)',
      ...total(files, (text) => brotliCompressSync(text).length),
    ],
  ];
}

if (import.meta.main) {
  const kb = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`.padStart(12);
  console.log(`${'what'.padEnd(44)}${'minified'.padStart(12)}${'compressed'.padStart(12)}`);
  for (const [what, bytes, compressed] of await sizes())
    console.log(what.padEnd(44) + kb(bytes) + kb(compressed));
}
