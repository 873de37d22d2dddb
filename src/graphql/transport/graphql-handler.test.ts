import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { createGraphQLHandler, type HandlerDeps } from './graphql-handler.ts';

// Behind the handler stands a server of its own: what the real one answers is tested in test/response-cache.test.ts.

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

type Answer = (req: IncomingMessage, res: ServerResponse) => Response | Promise<Response>;

/** The address of a server that answers every request by `graphql`. */
async function serve(
  graphql: Answer,
  around: (handle: ReturnType<typeof createGraphQLHandler>) => RequestListener,
) {
  const handle = createGraphQLHandler({
    graphql: { handleNodeRequestAndResponse: graphql },
    reads: { find: () => undefined },
    documents: { find: () => undefined },
    maxAnonymousBodyBytes: 20_000,
  } as unknown as HandlerDeps);
  const server = createServer(around(handle)).listen(0, '127.0.0.1');
  onTestFinished(async () => void (await server[Symbol.asyncDispose]()));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}

it('holds nothing of a request whose caller left before its answer', async () => {
  let held: WeakRef<object> | undefined;
  const asked = Promise.withResolvers<void>();
  const url = await serve(
    (_req, res) => {
      held = new WeakRef(res);
      asked.resolve();
      return new Promise(() => {});
    },
    (handle) => (req, res) => void handle(req, res),
  );
  const leaving = new AbortController();
  const left = fetch(`${url}?query={a}`, { signal: leaving.signal }).catch(() => 'left');
  await asked.promise;
  leaving.abort();
  expect(await left).toBe('left');
  await expect
    .poll(() => {
      gc();
      return held?.deref() === undefined;
    })
    .toBe(true);
});

it.each<[string, Answer, number]>([
  ['answers at once', () => new Response('now'), 200],
  ['fails at once', () => expect.fail('a bug'), 500],
  ['fails later', () => Promise.reject(new Error('a bug')), 500],
])('leaves nothing unheard of what %s', async (_what, answer, status) => {
  const url = await serve(
    answer,
    (handle) => (req, res) => void handle(req, res).catch(() => res.writeHead(500).end()),
  );
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{a}"}' };
  for (const request of [{}, { headers: { 'content-encoding': 'identity' } }, json])
    expect((await fetch(url, request)).status).toBe(status);
});
