import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InjectedFault } from './injected-fault.ts';

/** A complete request, and its response. */
export interface SeenRequest {
  at: number;
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  raw: Buffer;
  /** The JSON of the body; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies untyped
  body: any;
  /** The status of the response, LOST or SILENT; undefined until there is one. */
  answered: number | 'LOST' | 'SILENT' | undefined;
}

export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export type Handler = (request: SeenRequest) => Reply | Promise<Reply>;

/** A server on loopback that keeps every request. */
export class Web {
  readonly requests: SeenRequest[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(handle: (request: SeenRequest) => ReturnType<Handler> | undefined): Promise<Web> {
    const server = createServer();
    const web = new Web(server);
    server.on('request', async (incoming, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of incoming) chunks.push(chunk as Buffer);
      } catch {
        return; // The client disconnected during its request.
      }
      const url = new URL(incoming.url ?? '', 'http://service');
      const raw = Buffer.concat(chunks);
      const request: SeenRequest = {
        at: Date.now(),
        method: incoming.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: incoming.headers,
        raw,
        body: parsed(raw),
        answered: undefined,
      };
      web.requests.push(request);
      try {
        send(request, response, (await handle(request)) ?? notFound(request));
      } catch (error) {
        if (error instanceof NoReply) return withhold(request, response, error.answer);
        send(request, response, { status: 500, body: { statusCode: 500, message: String(error) } });
      }
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return web;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

class NoReply extends Error {
  readonly answer: 'LOST' | 'SILENT';
  constructor(answer: 'LOST' | 'SILENT') {
    super(answer);
    this.answer = answer;
  }
}

/** Processes a request with its fault; `work` has effects, so it runs at most once. */
export async function withInjectedFault(
  fault: InjectedFault | undefined,
  work: () => Reply | Promise<Reply>,
  broken: () => void = () => {},
): Promise<Reply> {
  if (!fault) return work();
  const { when, answer, delayMs = 0 } = fault;
  const own = when === 'AFTER' || answer === 'OWN' ? await work() : undefined;
  if (!own) broken();
  await sleep(delayMs);
  if (answer === 'OWN') return own as Reply;
  if (answer === 'LOST' || answer === 'SILENT') throw new NoReply(answer);
  return answer;
}

const notFound = ({ method, path }: SeenRequest): Reply => ({
  status: 404,
  body: { statusCode: 404, message: `Cannot ${method} ${path}` },
});

function parsed(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}

function withhold(request: SeenRequest, response: ServerResponse, answer: 'LOST' | 'SILENT'): void {
  request.answered = answer;
  if (answer === 'LOST') response.destroy();
}

function send(request: SeenRequest, response: ServerResponse, { status, body, headers }: Reply): void {
  request.answered = status;
  const bytes = body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(bytes);
}
