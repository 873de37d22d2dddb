import type { ServerResponse } from 'node:http';
import { type Received, serve, type TestServer } from './http-server.ts';

/** Answers in the place of a source, and not as it would. */
export type Lie = (response: ServerResponse, request: Received) => unknown;

export interface Liar extends TestServer {
  /** From now on it passes everything on. */
  heal(): void;
}

/** Stands before a source and passes requests on, but for those that `lieFor` has an answer of its own to. */
export async function liarBefore(
  source: string,
  lieFor: (request: Received) => Lie | undefined,
): Promise<Liar> {
  let lying = true;
  const server = await serve(async (request, response) => {
    const lie = lying ? lieFor(request) : undefined;
    if (lie) return lie(response, request);
    const answer = await fetch(`${source}${request.url}`, {
      method: request.method,
      headers: {
        accept: request.headers.accept ?? '*/*',
        'content-type': request.headers['content-type'] ?? 'application/json',
      },
      ...(request.method === 'POST' && { body: new Uint8Array(request.body) }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    return response.end(Buffer.from(await answer.arrayBuffer()));
  });
  return {
    ...server,
    heal: () => {
      lying = false;
    },
  };
}

export const silence: Lie = () => {};
export const failing: Lie = (response) => response.writeHead(500).end('no');
export const page: Lie = (response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Welcome');
export const circle: Lie = (response, { url }) => response.writeHead(302, { location: url }).end();
export const redirectTo =
  (location: string): Lie =>
  (response) =>
    response.writeHead(302, { location }).end();

/** One byte now and then, for as long as anybody listens. */
export const drip: Lie = (response) => {
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};

/** A body of 10 GB, as fast as it is taken; `sent` is told of each piece. */
export const flood =
  (sent: (bytes: number) => void): Lie =>
  (response) => {
    const size = 10 * 2 ** 30;
    const piece = Buffer.alloc(64 * 1024, 0x20);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': size });
    let left = size;
    const more = () => {
      while (left > 0 && !response.destroyed) {
        left -= piece.length;
        sent(piece.length);
        if (!response.write(piece)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  };
