import type { Logger } from '@srr-gateway/common/log';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FaultOf } from '../faults/fault-schema.ts';
import type { Faults } from '../faults/faults.ts';
import { sleepUntilClosed } from '../faults/response-faults.ts';
import { type ByteRange, parseRange } from '../http/byte-range.ts';
import { allowAnyOrigin } from '../http/cors.ts';
import { corruptBody } from '../ipfs/corrupt-body.ts';
import type { Clock } from '../lib/clock.ts';
import { readPublic, readSigned, upload } from './documentation.ts';
import { type FileLocation, parseObjectPath } from './file-location.ts';
import type { Signatures, Verdict } from './signature.ts';
import type { Received, Storage, StoredFile } from './storage.ts';
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

const notStored: Record<Exclude<Received, 'stored'>, StorageErrorCode> = {
  'name used': 'PreconditionFailed',
  'too large': 'EntityTooLarge',
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
    // A client that aborted its upload gets no answer, and this is no failure of storage.
    if (!clientsFault && !reply.raw.destroyed) options.log.error({ err: error }, 'a storage request failed');
    return sendStorageError(reply, clientsFault ? 'SignatureDoesNotMatch' : 'InternalError');
  });

  server.put('/storage/*', upload, async (request, reply) => {
    const { refusal, location, contentType } = authorize(request, 'PUT');
    if (refusal) return sendStorageError(reply, refusal);
    if (Number(request.headers['content-length'] ?? 0) >= options.fileLimitBytes)
      return sendStorageError(reply, 'EntityTooLarge');
    const fault = options.faults.consume('upload', concerns(location));
    const failed = failBy(fault, request, reply);
    if (failed) return failed;
    if ((await storage.find(location.issuer, location.filename)) !== undefined)
      return sendStorageError(reply, 'PreconditionFailed');
    const received = await storage.receive(location, contentType, request.raw, options.fileLimitBytes);
    if (received !== 'stored') return sendStorageError(reply, notStored[received]);
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
      const { refusal, location } = authorize(request, request.method);
      return refusal ? sendStorageError(reply, refusal) : sendObject(request, reply, location);
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

  /** The object that a signed request may write or read, or why it may not. */
  function authorize(request: FastifyRequest, method: string) {
    const { path, query } = split(request);
    const contentType = request.headers['content-type'] ?? '';
    const signed = { method: method as 'PUT' | 'GET', path, contentType };
    const verdict = signatures.verify(signed, query, clock.now());
    if (verdict !== 'valid') return { refusal: refusals[verdict] };
    const location = parseObjectPath(path);
    return location ? { location, contentType } : { refusal: 'AccessDenied' as const };
  }

  async function sendObject(request: FastifyRequest, reply: FastifyReply, location: FileLocation) {
    const fault = options.faults.consume('download', concerns(location));
    const failed = failBy(fault, request, reply);
    if (failed) return failed;
    if (fault?.effect === 'late') await sleepUntilClosed(request, fault.delayMs);
    const file = await storage.find(location.issuer, location.filename);
    if (file?.category !== location.category) return sendStorageError(reply, 'NoSuchKey');
    const range = parseRange(request.headers.range, Number(file.size));
    if (range === 'unsatisfiable') {
      reply.header('content-range', `bytes */${file.size}`);
      return sendStorageError(reply, 'InvalidRange');
    }
    writeHead(reply, file, range);
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

/** Injects a fault that takes effect before anything is read or stored. */
function failBy(
  fault: FaultOf<'upload' | 'download'> | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  if (fault?.effect === '503') return sendStorageError(reply, 'ServiceUnavailable');
  return fault?.effect === 'drop' ? cutConnection(request, reply) : undefined;
}

/** Sets the status and the headers of a file, or of a range of it. */
function writeHead(reply: FastifyReply, file: StoredFile, range: ByteRange | undefined): void {
  reply.headers({
    'content-type': file.content_type,
    'content-length': range ? range.end - range.start + 1 : Number(file.size),
    'accept-ranges': 'bytes',
    // The content under a name never changes, so the row's id serves as its etag.
    etag: `"${file.id}"`,
  });
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.size}`);
}

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
