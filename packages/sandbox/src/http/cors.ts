import type { FastifyInstance } from 'fastify';

/**
 * Lets pages of any origin use the routes that browsers call, such as storage and the IPFS gateway. The
 * commerce API does without it, because its key must not reach a browser.
 */
export function allowAnyOrigin(server: FastifyInstance, methods: string): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.header('access-control-allow-origin', '*');
    reply.header('access-control-expose-headers', exposed);
    if (request.method !== 'OPTIONS') return;
    // A day, in seconds: no browser keeps the result of a preflight longer.
    return reply
      .headers({
        'access-control-allow-methods': methods,
        'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
        'access-control-max-age': '86400',
      })
      .code(204)
      .send();
  });
}

const exposed = 'Content-Length, Content-Range, Content-Type, ETag, X-Ipfs-Path, X-Ipfs-Roots, Graph-Indexed';
