import type { Logger } from '@srr-gateway/common/log';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Faults } from '../faults/faults.ts';
import { sleepUntilClosed } from '../faults/response-faults.ts';
import { parseRange } from '../http/byte-range.ts';
import { allowAnyOrigin } from '../http/cors.ts';
import { corruptBody } from '../ipfs/corrupt-body.ts';
import type { Clock } from '../lib/clock.ts';
import { readPublic, readSigned, upload } from './documentation.ts';
import { type FileLocation, parseObjectPath } from './file-location.ts';
import type { Signatures, Verdict } from './signature.ts';
import type { Storage } from './storage.ts';
import { type StorageErrorCode, sendStorageError } from './storage-error.ts';

interface StorageRoutes {
  storage: Storage;
  signatures: Signatures;
  clock: Clock;
  log: Logger;
  faults: Faults;
  /** A file must be smaller than this. */
  fileLimitBytes: number;
  onStored(): void;
}

const refusals: Record<Exclude<Verdict, 'valid'>, StorageErrorCode> = {
  absent: 'AccessDenied',
  mismatch: 'SignatureDoesNotMatch',
  expired: 'ExpiredToken',
};

/** Serves the storage host: signed writes and reads below `/storage`, public reads below `/static`. */
export async function storageRoutes(server: FastifyInstance, options: StorageRoutes): Promise<void> {
  const { storage, signatures, clock } = options;
  allowAnyOrigin(server, 'GET, HEAD, PUT');
  // The framework reads no body of any type, so that the handler can stream it.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  server.setErrorHandler((error, _request, reply) => {
    // A Content-Type that cannot be parsed (415) is not the one that was signed.
    const clientsFault = (error as { statusCode?: number }).statusCode === 415;
    if (!clientsFault) options.log.error({ err: error }, 'a storage request failed');
    return sendStorageError(reply, clientsFault ? 'SignatureDoesNotMatch' : 'InternalError');
  });

  server.put('/storage/*', upload, async (request, reply) => {
    const { location, contentType, verdict } = inspect(request, 'PUT');
    if (location === undefined || verdict !== 'valid')
      return sendStorageError(reply, verdict === 'valid' ? 'AccessDenied' : refusals[verdict]);
    if (Number(request.headers['content-length'] ?? 0) >= options.fileLimitBytes)
      return sendStorageError(reply, 'EntityTooLarge');
    const fault = options.faults.consume('upload', concerns(location));
    if (fault?.effect === '503') return sendStorageError(reply, 'ServiceUnavailable');
    if (fault?.effect === 'drop') return cutConnection(request, reply);
    if ((await storage.find(location.issuer, location.filename)) !== undefined)
      return sendStorageError(reply, 'PreconditionFailed');
    const received = await storage
      .receive(location, contentType, request.raw, options.fileLimitBytes)
      .catch((error: unknown) => {
        if (request.raw.complete) throw error;
        return 'cut short' as const;
      });
    if (received === 'cut short') return sendStorageError(reply, 'IncompleteBody');
    if (received === 'too large') return sendStorageError(reply, 'EntityTooLarge');
    if (received === 'name used') return sendStorageError(reply, 'PreconditionFailed');
    options.onStored();
    if (fault?.effect === 'lost') return cutConnection(request, reply);
    if (fault) await sleepUntilClosed(request, fault.delayMs);
    return reply.code(200).send();
  });

  server.route({
    method: ['GET', 'HEAD', 'OPTIONS'],
    url: '/storage/*',
    ...readSigned,
    handler: async (request, reply) => {
      const { location, verdict } = inspect(request, request.method);
      if (location === undefined || verdict !== 'valid')
        return sendStorageError(reply, verdict === 'valid' ? 'AccessDenied' : refusals[verdict]);
      return sendObject(request, reply, location);
    },
  });

  server.route({
    method: ['GET', 'HEAD', 'OPTIONS'],
    url: '/static/*',
    ...readPublic,
    handler: async (request, reply) => {
      const location = parseObjectPath(split(request).path);
      return location === undefined
        ? sendStorageError(reply, 'NoSuchKey')
        : sendObject(request, reply, location);
    },
  });

  function inspect(request: FastifyRequest, method: string) {
    const { path, query } = split(request);
    const contentType = request.headers['content-type'] ?? '';
    const signed = { method: method as 'PUT' | 'GET', path, contentType };
    return {
      location: parseObjectPath(path),
      contentType,
      verdict: signatures.verify(signed, query, clock.now()),
    };
  }

  async function sendObject(request: FastifyRequest, reply: FastifyReply, location: FileLocation) {
    const fault = options.faults.consume('download', concerns(location));
    if (fault?.effect === '503') return sendStorageError(reply, 'ServiceUnavailable');
    if (fault?.effect === 'drop') return cutConnection(request, reply);
    if (fault?.effect === 'late') await sleepUntilClosed(request, fault.delayMs);
    const file = await storage.find(location.issuer, location.filename);
    if (file === undefined || file.category !== location.category)
      return sendStorageError(reply, 'NoSuchKey');
    const size = Number(file.size);
    const range = parseRange(request.headers.range, size);
    if (range === 'unsatisfiable') {
      reply.header('content-range', `bytes */${size}`);
      return sendStorageError(reply, 'InvalidRange');
    }
    reply.headers({
      'content-type': file.content_type,
      'content-length': range ? range.end - range.start + 1 : size,
      'accept-ranges': 'bytes',
      // The content under a name never changes, so the row's id serves as its etag.
      etag: `"${file.id}"`,
    });
    if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
    if (request.method === 'HEAD') return reply.send();
    const body = storage.read(file.id, range);
    return reply.send(fault?.effect === 'cut' ? corruptBody(body, 'cut') : body);
  }
}

/** Whether a fault is for this file. */
const concerns =
  ({ filename }: FileLocation) =>
  (fault: { filename?: string | undefined }) =>
    (fault.filename ?? filename) === filename;

function cutConnection(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}

/** Splits the URL as it is in the request line, not decoded: the signature covers exactly that text. */
function split(request: FastifyRequest): { path: string; query: URLSearchParams } {
  const [path = '', query = ''] = (request.raw.url ?? '').split('?', 2);
  return { path, query: new URLSearchParams(query) };
}
