import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Recorded {
  /** The last part of the path, such as `signedUrls`. */
  call: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies untyped
  body: any;
  /** The response, as soon as there is one. */
  answer?: { status: number; text: string };
}

type Instead = { status: number; text: string; headers?: Record<string, string> };

export interface RecordingProxy {
  url: string;
  /** The address of the service; it may be set after the address of the proxy is known. */
  target: string;
  /** All calls since the last `clear`. */
  calls: Recorded[];
  /** Runs before the call is forwarded. */
  beforeCall: ((recorded: Recorded) => Promise<void>) | undefined;
  /** Runs when the service has responded, before the response is forwarded. */
  afterAnswer: ((recorded: Recorded) => Promise<void>) | undefined;
  /** Returns a response that replaces that of the service. */
  answerInstead: ((recorded: Recorded) => Instead | undefined | Promise<Instead | undefined>) | undefined;
  clear(): void;
  /** The number of calls by their name. */
  counts(): Record<string, number>;
  stop(): Promise<void>;
}

/** A proxy in front of a JSON service that records all calls. */
export async function startRecordingProxy(): Promise<RecordingProxy> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const call = (request.url ?? '').split('/').at(-1) ?? '';
    const body = text === '' ? undefined : JSON.parse(text);
    const recorded: Recorded = { call, headers: request.headers, body };
    proxy.calls.push(recorded);
    const instead = await proxy.answerInstead?.(recorded);
    if (instead)
      return void response
        .writeHead(instead.status, { 'content-type': 'text/html', ...instead.headers })
        .end(instead.text);
    await proxy.beforeCall?.(recorded);
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const answer = await fetch(`${proxy.target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      // Callers write the address of the proxy into documents; the service expects its own.
      ...(text !== '' && { body: text.replaceAll(proxy.url, proxy.target) }),
    }).catch(() => undefined);
    // A connection that the service breaks is also broken here.
    if (!answer) return void response.destroy();
    const bytes = Buffer.from(await answer.arrayBuffer());
    recorded.answer = { status: answer.status, text: bytes.toString('utf8') };
    await proxy.afterAnswer?.(recorded);
    response
      .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' })
      .end(bytes);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const proxy: RecordingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: '',
    calls: [],
    beforeCall: undefined,
    afterAnswer: undefined,
    answerInstead: undefined,
    clear: () => {
      proxy.calls = [];
    },
    counts: () => {
      const counts: Record<string, number> = {};
      for (const { call } of proxy.calls) counts[call] = (counts[call] ?? 0) + 1;
      return counts;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return proxy;
}
