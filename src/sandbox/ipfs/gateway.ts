import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { exporter, type UnixFSEntry } from 'ipfs-unixfs-exporter';
import mime from 'mime';
import { CID } from 'multiformats/cid';
import { parseRange } from '../http/byte-range.ts';
import { allowAnyOrigin } from '../http/cors.ts';
import { type BlockSource, readBlock, readBytes, withInlineBlocks } from './blocks.ts';
import { carOf } from './car.ts';
import type { Content } from './content.ts';
import { matchesEtag, type ResponseFormat, responseFormat } from './response-format.ts';

/** Content of a CID never changes; the number is the one that public gateways use. */
const immutable = 'public, max-age=29030400, immutable';

interface Found {
  root: CID;
  path: string;
  entry: UnixFSEntry;
  query: URLSearchParams;
}

/** `/ipfs/<cid>[/path]`: path gateway (files, ranges) and trustless gateway (blocks, CAR). */
export async function ipfsRoutes(server: FastifyInstance, { content }: { content: Content }): Promise<void> {
  const blocks = withInlineBlocks(content.blocks);
  allowAnyOrigin(server, 'GET, HEAD');

  server.route({
    method: ['GET', 'HEAD', 'OPTIONS'],
    url: '/ipfs/*',
    handler: async (request, reply) => {
      const [path = '', search = ''] = (request.raw.url ?? '').split('?', 2);
      const query = new URLSearchParams(search);
      const format = responseFormat(query, request.headers.accept);
      if (format === undefined) return refuse(reply, 406, 'this gateway serves files, raw blocks and CARs');
      const [cidText = '', ...names] = path.slice('/ipfs/'.length).split('/');
      const root = parseCid(cidText);
      if (root === undefined) return refuse(reply, 400, `invalid path: ${cidText.slice(0, 100)} is no CID`);
      const entry = await resolve(blocks, root, names);
      if (entry === undefined)
        return request.headers['cache-control']?.includes('only-if-cached')
          ? refuse(reply, 412, 'not in this gateway')
          : refuse(reply, 404, `no content for ${path.slice(0, 300)}`);
      return senders[format](request, reply, { root, path, entry, query });
    },
  });

  const senders: Record<
    ResponseFormat,
    (request: FastifyRequest, reply: FastifyReply, found: Found) => Promise<FastifyReply>
  > = {
    file: async (request, reply, { entry, path, query }) => {
      if (entry.type !== 'file' && entry.type !== 'raw' && entry.type !== 'identity')
        return refuse(reply, 404, 'this gateway lists no directories');
      if (notModified(request, reply, entry.cid, `"${entry.cid}"`)) return reply.code(304).send();
      const size = Number(entry.size);
      const range = parseRange(request.headers.range, size);
      if (range === 'unsatisfiable') {
        reply.header('content-range', `bytes */${size}`);
        return refuse(reply, 416, 'the range lies outside the content');
      }
      const start = range?.start ?? 0;
      const length = range ? range.end - start + 1 : size;
      reply.headers({
        'content-type': await contentType(entry.cid, query.get('filename') ?? path),
        'content-length': length,
        'accept-ranges': 'bytes',
      });
      const filename = query.get('filename');
      if (filename !== null || query.get('download') === 'true')
        disposition(
          reply,
          query.get('download') === 'true' ? 'attachment' : 'inline',
          filename ?? `${entry.cid}`,
        );
      if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
      if (request.method === 'HEAD') return reply.send();
      return reply.send(
        Readable.from(readBytes(blocks, entry.cid, start, start + length), { objectMode: false }),
      );
    },
    raw: async (request, reply, { entry }) => {
      if (notModified(request, reply, entry.cid, `"${entry.cid}.raw"`)) return reply.code(304).send();
      const bytes = await readBlock(blocks, entry.cid);
      disposition(reply, 'attachment', `${entry.cid}.bin`);
      reply.headers({
        'content-type': 'application/vnd.ipld.raw',
        'content-length': bytes.length,
        'x-content-type-options': 'nosniff',
      });
      return reply.send(request.method === 'HEAD' ? undefined : Buffer.from(bytes));
    },
    car: async (request, reply, { root, query }) => {
      const onlyRoot = query.get('dag-scope') === 'block';
      const etag = `W/"${root}.car${onlyRoot ? '.block' : ''}"`;
      if (notModified(request, reply, root, etag)) return reply.code(304).send();
      disposition(reply, 'attachment', `${root}.car`);
      reply.headers({
        'content-type': 'application/vnd.ipld.car; version=1; order=dfs; dups=n',
        'x-content-type-options': 'nosniff',
      });
      return reply.send(request.method === 'HEAD' ? undefined : carOf(blocks, root, { onlyRoot }));
    },
  };

  /** Sets the headers that all forms share; true when the client has the content already. */
  function notModified(request: FastifyRequest, reply: FastifyReply, cid: CID, etag: string): boolean {
    reply.headers({
      'cache-control': immutable,
      etag,
      vary: 'Accept',
      'x-ipfs-path': (request.raw.url ?? '').split('?')[0],
      'x-ipfs-roots': `${cid}`,
    });
    return matchesEtag(request.headers['if-none-match'], etag);
  }

  async function contentType(cid: CID, name: string): Promise<string> {
    return (await content.contentTypeOf(`${cid.toV1()}`)) ?? mime.getType(name) ?? 'application/octet-stream';
  }
}

async function resolve(blocks: BlockSource, root: CID, names: string[]): Promise<UnixFSEntry | undefined> {
  try {
    const path = names.filter((name) => name !== '').map(decodeURIComponent);
    return await exporter([`${root}`, ...path].join('/'), blocks);
  } catch {
    // A block or link that is not there, a path below a file, a CID whose codec does not fit its block:
    // all of it is content that does not exist here, and which of them it was tells a client nothing.
    return undefined;
  }
}

function parseCid(text: string): CID | undefined {
  try {
    return CID.parse(text);
  } catch {
    return undefined;
  }
}

function disposition(reply: FastifyReply, kind: 'inline' | 'attachment', filename: string): void {
  reply.header('content-disposition', `${kind}; filename*=UTF-8''${encodeURIComponent(filename)}`);
}

function refuse(reply: FastifyReply, status: number, reason: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(`${reason}\n`);
}
