import type { ServerResponse } from 'node:http';
import { type Received, serve, type TestServer } from './http-server.ts';

/** A false response in place of that of a source. */
export type FaultyResponse = (response: ServerResponse, request: Received) => unknown;

export interface FaultyUpstream extends TestServer {
  /** Forwards all requests from now on. */
  heal(): void;
}

/** A proxy that forwards requests to a source, except those for which `faultFor` has a false response. */
export async function faultyUpstream(
  source: string,
  faultFor: (request: Received) => FaultyResponse | undefined,
): Promise<FaultyUpstream> {
  let isFaulty = true;
  const server = await serve(async (request, response) => {
    const fault = isFaulty ? faultFor(request) : undefined;
    if (fault) return fault(response, request);
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
      isFaulty = false;
    },
  };
}

export const noResponse: FaultyResponse = () => {};
export const serverError: FaultyResponse = (response) => response.writeHead(500).end('no');
export const htmlPage: FaultyResponse = (response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Welcome');
export const redirectLoop: FaultyResponse = (response, { url }) =>
  response.writeHead(302, { location: url }).end();
export const redirectTo =
  (location: string): FaultyResponse =>
  (response) =>
    response.writeHead(302, { location }).end();

/** Sends a byte from time to time until the client disconnects. */
export const drip: FaultyResponse = (response) => {
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};

/** Sends a body of 10 GB as fast as the client reads, and calls `sent` for each chunk. */
export const flood =
  (sent: (bytes: number) => void): FaultyResponse =>
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
