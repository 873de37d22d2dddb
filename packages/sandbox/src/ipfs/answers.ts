import { Readable } from 'node:stream';
import type { UnixFSEntry } from 'ipfs-unixfs-exporter';
import mime from 'mime';
import type { CID } from 'multiformats/cid';
import { parseRange } from '../http/byte-range.ts';
import { escapeHtml } from '../http/html.ts';
import { type BlockSource, readBlock, readBytes } from './blocks.ts';
import { carOf } from './car.ts';
import { type Resolved, resolve } from './resolve.ts';
import type { ResponseFormat } from './response-format.ts';

/** The content of a CID never changes; the max-age (48 weeks) is that of public gateways. */
const immutable = 'public, max-age=29030400, immutable';
/** A directory listing is HTML of this gateway: its look may change, although the directory may not. */
const aWeek = 'public, max-age=604800, stale-while-revalidate=2678400';

/** A parsed request for content that the gateway has. */
interface ContentRequest {
  resolved: Resolved;
  /** As in the request line (percent-encoded), without the query. */
  path: string;
  query: URLSearchParams;
  range: string | undefined;
  /** The etag of the copy that the range is to complete. */
  ifRange: string | string[] | undefined;
}

/** An HTTP answer; without `body` it has none. `etag` is quoted. */
export interface Answer {
  status: number;
  headers: Record<string, string | number>;
  etag: string;
  /** Called only when the body is sent, not for HEAD or 304. */
  body?: () => Promise<Readable | string>;
}

interface AnswerContext {
  blocks: BlockSource;
  /** The Content-Type that a root was published with; `undefined` when it is no published root. */
  contentTypeOf(cid: string): Promise<string | undefined>;
}

/** Makes the answer for content that the gateway has. Throws when a block of it cannot be read. */
export async function answerFor(
  format: ResponseFormat,
  asked: ContentRequest,
  context: AnswerContext,
): Promise<Answer> {
  const answer = await makers[format](asked, context);
  return {
    ...answer,
    headers: {
      vary: 'Accept',
      'x-ipfs-path': asked.path,
      'x-ipfs-roots': asked.resolved.cids.join(','),
      'x-content-type-options': 'nosniff',
      // Errors are not cached: they may be wrong later.
      ...(answer.status < 400 && { 'cache-control': immutable, etag: answer.etag }),
      ...answer.headers,
    },
  };
}

const makers: Record<ResponseFormat, (asked: ContentRequest, context: AnswerContext) => Promise<Answer>> = {
  file: async (asked, context) => {
    const { entry } = asked.resolved;
    if (entry.type === 'directory') return directory(asked, context);
    if (!['file', 'raw', 'identity'].includes(entry.type)) return refusal(404, 'this is no file');
    return file(entry, asked, context);
  },

  raw: async ({ resolved: { entry } }, { blocks }) => {
    const bytes = await readBlock(blocks, entry.cid);
    return {
      status: 200,
      etag: `"${entry.cid}.raw"`,
      headers: {
        'content-type': 'application/vnd.ipld.raw',
        'content-length': bytes.length,
        ...disposition('attachment', `${entry.cid}.bin`),
      },
      body: async () => Readable.from([bytes], { objectMode: false }),
    };
  },

  car: async ({ resolved, query }, { blocks }) => {
    const { entry, cids } = resolved;
    const asked = query.get('dag-scope') ?? 'all';
    if (!['block', 'entity', 'all'].includes(asked))
      return refusal(400, 'dag-scope is one of block, entity and all');
    // Scope `entity`: of a directory its own block, of a file all of its blocks.
    const one = asked === 'block' || (asked === 'entity' && entry.type === 'directory');
    const scope = one ? 'block' : 'all';
    return {
      status: 200,
      etag: `W/"${cids.join('.')}.car.${scope}"`,
      headers: {
        'content-type': 'application/vnd.ipld.car; version=1; order=dfs; dups=n',
        ...disposition('attachment', `${entry.cid}.car`),
      },
      body: async () => carOf(blocks, { path: cids.slice(0, -1), content: entry.cid, scope }),
    };
  },
};

async function file(entry: UnixFSEntry, asked: ContentRequest, context: AnswerContext): Promise<Answer> {
  const { query, path } = asked;
  const size = Number(entry.size);
  const etag = `"${entry.cid}"`;
  // A client with a part of another copy cannot use the rest of this one.
  const fits = asked.ifRange === undefined || asked.ifRange === etag;
  const range = parseRange(fits ? asked.range : undefined, size);
  if (range === 'unsatisfiable') {
    const refused = refusal(416, 'the range lies outside the content');
    return { ...refused, etag, headers: { ...refused.headers, 'content-range': `bytes */${size}` } };
  }
  const start = range?.start ?? 0;
  const length = range ? range.end - range.start + 1 : size;
  const filename = query.get('filename');
  const download = query.get('download') === 'true';
  return {
    status: range ? 206 : 200,
    etag,
    headers: {
      'content-type': await contentType(entry.cid, filename ?? path, context),
      'content-length': length,
      'accept-ranges': 'bytes',
      ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${size}` }),
      ...((filename !== null || download) &&
        disposition(download ? 'attachment' : 'inline', filename ?? `${entry.cid}`)),
    },
    body: async () =>
      Readable.from(readBytes(context.blocks, entry.cid, start, start + length), { objectMode: false }),
  };
}

/** Answers with the directory's `index.html`, or else with a list of its names. */
async function directory(asked: ContentRequest, context: AnswerContext): Promise<Answer> {
  const { resolved, path } = asked;
  const { cid } = resolved.entry;
  if (!path.endsWith('/')) {
    const search = asked.query.size > 0 ? `?${asked.query}` : '';
    return { status: 301, etag: `"${cid}"`, headers: { location: `${path}/${search}` } };
  }
  const names: string[] = [];
  if (resolved.entry.type === 'directory')
    for await (const { name } of resolved.entry.entries()) names.push(name);
  if (names.includes('index.html')) {
    const index = await resolve(context.blocks, cid, ['index.html']);
    if (index) return file(index.entry, { ...asked, path: `${path}index.html` }, context);
  }
  return {
    status: 200,
    etag: `"DirIndex-${cid}"`,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': aWeek },
    body: async () => directoryPage(decodeURIComponent(path), names),
  };
}

/** A directory listing as an HTML page with links. */
function directoryPage(path: string, names: readonly string[]): string {
  const items = names.map(
    (name) => `<li><a href="${escapeHtml(encodeURIComponent(name))}">${escapeHtml(name)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(path)}</title></head>
<body><h1>${escapeHtml(path)}</h1><ul>${items.join('')}</ul></body></html>
`;
}

/** The type of the name's extension if it has one; otherwise public gateways look at the bytes. */
async function contentType(cid: CID, name: string, context: AnswerContext): Promise<string> {
  const byName = mime.getType(`/${name}`);
  return byName ?? (await context.contentTypeOf(`${cid.toV1()}`)) ?? 'application/octet-stream';
}

function refusal(status: number, reason: string): Answer {
  return {
    status,
    etag: '',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: async () => `${reason}\n`,
  };
}

function disposition(kind: 'inline' | 'attachment', filename: string): Record<string, string> {
  return { 'content-disposition': `${kind}; filename*=UTF-8''${encodeURIComponent(filename)}` };
}
