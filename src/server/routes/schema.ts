import { createHash } from 'node:crypto';
import { sendText } from '../../lib/send.ts';
import type { Route } from '../server.ts';

/** `/schema.graphql`: the schema as text, for generators of code that do not introspect. */
export function schemaRoute(sdl: string): Route {
  const etag = `"${createHash('sha256').update(sdl).digest('base64url')}"`;
  // It changes with a release only, and is then to be seen at once.
  const headers = ['etag', etag, 'cache-control', 'public, no-cache'];
  return {
    method: 'GET',
    path: '/schema.graphql',
    handle(req, res) {
      if (matches(req.headers['if-none-match'], etag)) res.writeHead(304, headers).end();
      else sendText(res, 200, 'text/plain; charset=utf-8', sdl, headers);
    },
  };
}

/** A proxy that compresses an answer may have marked its tag as weak. */
const matches = (header: string | undefined, etag: string) =>
  header?.split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim())) ?? false;
