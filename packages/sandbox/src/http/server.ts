import type { Socket } from 'node:net';
import type { Logger } from '@srr-gateway/common/log';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { ServiceError } from './service-error.ts';
import { enforceZodSchemas } from './zod.ts';

/**
 * The document sets no upper bound on entries; 10,000 of 3 KB fit. A body of twice this size that is nothing
 * but brackets takes gigabytes of memory to parse.
 */
const bodyLimitBytes = 32 * 2 ** 20;

/** Creates the HTTP server that all routes are registered on. Errors become the service's envelope. */
export function createServer(log: Logger): FastifyInstance {
  const answerError = errorAnswerer(log);
  const server = fastify({
    bodyLimit: bodyLimitBytes,
    // Close idle keep-alive connections at a stop; otherwise it would wait for the clients.
    forceCloseConnections: 'idle',
    // Paths contain filenames, and the default limit of 100 characters is too short for those.
    routerOptions: { maxParamLength: 4_096 },
    clientErrorHandler: refuseConnection,
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
  });
  enforceZodSchemas(server);
  server.setErrorHandler(answerError);
  server.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0];
    return reply.code(404).send({ statusCode: 404, message: `Cannot ${request.method} ${path}` });
  });
  return server;
}

/** Answers what the HTTP parser refuses, such as an endless header: there is no route or reply object yet. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const body = JSON.stringify({ statusCode: 400, message: `Bad Request: ${error.code ?? error.message}` });
  const head = `content-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}`;
  socket.end(`HTTP/1.1 400 Bad Request\r\nconnection: close\r\n${head}\r\n\r\n${body}`);
}

function errorAnswerer(log: Logger) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = asServiceError(error);
    if (refusal.statusCode === 500 && (!(error instanceof ServiceError) || error.cause !== undefined))
      log.error({ err: error, method: request.method, path: request.url.split('?')[0] }, 'a request failed');
    return reply.code(refusal.statusCode).send({ statusCode: refusal.statusCode, message: refusal.detail });
  };
}

/**
 * The document has 400 for every invalid request, so Fastify's more specific errors (413, 415, a body that is
 * not JSON) become 400 with their reason.
 */
function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (error instanceof Error && typeof status === 'number' && status >= 400 && status < 500)
    return new ServiceError(400, error.message);
  return new ServiceError(500, 'SERVICE_ERROR: the sandbox met an unexpected fault; its log says more');
}
