import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CarReader } from '@ipld/car';
import fastify, { type FastifyInstance } from 'fastify';
import { importer } from 'ipfs-unixfs-importer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enforceZodSchemas } from '../http/zod.ts';
import { BlockFiles } from './block-files.ts';
import { ipfsRoutes } from './gateway.ts';

const directory = mkdtempSync(join(tmpdir(), 'ipfs-'));
const big = Buffer.alloc(2.5 * 2 ** 20, 'harbour ');
const files = {
  'site/index.html': '<h1>Harbour</h1>',
  'site/works/a picture.png': 'picture',
  'site/works/film.mp4': big,
  'notes/one.txt': 'one',
};

let app: FastifyInstance;
let url: string;
let root: string;
const cids = new Map<string, string>();

beforeAll(async () => {
  const blocks = await BlockFiles.open(directory);
  const source = Object.entries(files).map(([path, content]) => ({ path, content: Buffer.from(content) }));
  for await (const { path, cid } of importer(source, blocks, {
    profile: 'unixfs-v1-2025',
    wrapWithDirectory: true,
  }))
    cids.set(path ?? '', `${cid}`);
  root = cids.get('') ?? '';
  app = fastify();
  enforceZodSchemas(app);
  await app.register(ipfsRoutes, { content: { blocks, contentTypeOf: async () => undefined } });
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await app?.close();
  rmSync(directory, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/ipfs/${root}${path}`, { headers, redirect: 'manual' });

async function blocksOf(response: Response): Promise<{ roots: string[]; blocks: string[] }> {
  const reader = await CarReader.fromBytes(new Uint8Array(await response.arrayBuffer()));
  const blocks: string[] = [];
  for await (const { cid } of reader.blocks()) blocks.push(`${cid}`);
  return { roots: (await reader.getRoots()).map(String), blocks };
}

describe('a path in a directory', () => {
  it('leads to a file, whole and in ranges, with the type of its name', async () => {
    const picture = await get('/site/works/a%20picture.png');
    expect([picture.status, picture.headers.get('content-type'), await picture.text()]).toEqual([
      200,
      'image/png',
      'picture',
    ]);
    expect(picture.headers.get('etag')).toBe(`"${cids.get('site/works/a picture.png')}"`);
    expect(picture.headers.get('x-ipfs-roots')).toBe(
      ['', 'site', 'site/works', 'site/works/a picture.png'].map((path) => cids.get(path)).join(','),
    );
    const part = await get('/site/works/film.mp4', { range: 'bytes=1048570-1048585' });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(big.subarray(1_048_570, 1_048_586))).toBe(true);
  });

  it('that does not exist is 404, and 412 with only-if-cached', async () => {
    expect((await get('/site/works/missing.png')).status).toBe(404);
    expect((await get('/site/index.html/below')).status).toBe(404);
    expect((await get('/site/missing', { 'cache-control': 'only-if-cached' })).status).toBe(412);
  });
});

describe('a directory', () => {
  it('serves its index.html, after a redirect to the address with a slash', async () => {
    const moved = await get('/site');
    expect([moved.status, moved.headers.get('location')]).toEqual([301, `/ipfs/${root}/site/`]);
    const index = await get('/site/');
    expect([index.headers.get('content-type'), await index.text()]).toEqual([
      'text/html',
      '<h1>Harbour</h1>',
    ]);
  });

  it('without index.html is a listing that is not immutable', async () => {
    const list = await get('/site/works/');
    expect(list.headers.get('cache-control')).toContain('max-age=604800');
    expect(await list.text()).toContain('<a href="a%20picture.png">a picture.png</a>');
    const etag = list.headers.get('etag') ?? '';
    expect((await get('/site/works/', { 'if-none-match': etag })).status).toBe(304);
  });
});

describe('a CAR of a path', () => {
  it('has the blocks of the path and below it, and no siblings', async () => {
    const { roots, blocks } = await blocksOf(await get('/site/works/film.mp4?format=car'));
    const way = ['', 'site', 'site/works', 'site/works/film.mp4'].map((path) => cids.get(path));
    expect(roots).toEqual([cids.get('site/works/film.mp4')]);
    expect(blocks.slice(0, 4)).toEqual(way);
    // The last of the three chunks differs, because the file does not end at a chunk boundary.
    expect(blocks.length).toBe(6);
    expect(blocks).not.toContain(cids.get('notes'));
  });

  it.each([
    ['block', '/site/works', ['', 'site', 'site/works']],
    ['entity', '/site/works', ['', 'site', 'site/works']],
    ['entity', '/site/index.html', ['', 'site', 'site/index.html']],
  ])('of scope %s at %s', async (scope, path, expected) => {
    const { blocks } = await blocksOf(await get(`${path}?format=car&dag-scope=${scope}`));
    expect(blocks).toEqual(expected.map((name) => cids.get(name)));
  });

  it('of a scope that does not exist is refused', async () => {
    expect((await get('/site?format=car&dag-scope=half')).status).toBe(400);
  });
});
