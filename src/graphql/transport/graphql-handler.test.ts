import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { ResultSink } from '../execution/per-event-context.ts';
import { createGraphQLHandler, type HandlerDeps } from './graphql-handler.ts';

// These tests put a fake GraphQL server behind the handler; test/graphql/response-cache.test.ts tests the real one.

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

type Answer = (
  req: IncomingMessage,
  res: ServerResponse,
  context: ResultSink,
) => Response | Promise<Response>;

/** The address of a server that answers every request with `graphql`. */
async function serve(
  graphql: Answer,
  around: (handle: ReturnType<typeof createGraphQLHandler>) => RequestListener,
  deps: object = {},
) {
  const handle = createGraphQLHandler({
    graphql: { handleNodeRequestAndResponse: graphql },
    reads: { find: () => undefined },
    documents: { find: () => undefined },
    maxAnonymousBodyBytes: 20_000,
    ...deps,
  } as unknown as HandlerDeps);
  const server = createServer(around(handle)).listen(0, '127.0.0.1');
  onTestFinished(async () => void (await server[Symbol.asyncDispose]()));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}

it('the handler keeps no reference to a request whose caller disconnected before the response', async () => {
  let held: WeakRef<object> | undefined;
  const requested = Promise.withResolvers<void>();
  const url = await serve(
    (_req, res) => {
      held = new WeakRef(res);
      requested.resolve();
      return new Promise(() => {});
    },
    (handle) => (req, res) => void handle(req, res),
  );
  const leaving = new AbortController();
  const left = fetch(`${url}?query={a}`, { signal: leaving.signal }).catch(() => 'left');
  await requested.promise;
  leaving.abort();
  expect(await left).toBe('left');
  await expect
    .poll(() => {
      gc();
      return held?.deref() === undefined;
    })
    .toBe(true);
});

it('the handler executes nothing for a caller that disconnected during authentication', async () => {
  const caller = Promise.withResolvers<object>();
  const closed = Promise.withResolvers<void>();
  const handled = Promise.withResolvers<void>();
  const leaving = new AbortController();
  const execute = vi.fn(async () => undefined);
  const checked = () => {
    leaving.abort();
    return caller.promise;
  };
  const url = await serve(
    () => expect.fail('delegated'),
    (handle) => (req, res) => {
      res.once('close', closed.resolve);
      handle(req, res).then(handled.resolve, handled.reject);
    },
    {
      reads: { find: () => ({ measure: () => ({ cost: 1 }) }), cached: () => undefined, execute },
      authenticator: { caller: checked },
      queryLimits: { cost: 1 },
    },
  );
  const headers = { authorization: 'Bearer a-token' };
  await fetch(`${url}?query={a}`, { headers, signal: leaving.signal }).catch(() => {});
  await closed.promise;
  caller.resolve({ kind: 'issuer' });
  await handled.promise;
  expect(execute).not.toHaveBeenCalled();
});

it.each<[string, Answer, number]>([
  ['responds synchronously', () => new Response('now'), 200],
  ['throws', () => expect.fail('a bug'), 500],
  ['rejects', () => Promise.reject(new Error('a bug')), 500],
])('the handler works with a GraphQL server that %s', async (_what, answer, status) => {
  const url = await serve(
    answer,
    (handle) => (req, res) => void handle(req, res).catch(() => res.writeHead(500).end()),
  );
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{a}"}' };
  for (const request of [{}, { headers: { 'content-encoding': 'identity' } }, json])
    expect((await fetch(url, request)).status).toBe(status);
});

it.each([
  ['whose caller has left meanwhile', true],
  ['whose caller has too many streams', false],
])('the handler ends a subscription %s, and does not count it', async (_which, leaves) => {
  const results = {
    next: () => new Promise<never>(() => {}),
    return: vi.fn(async () => ({ done: true as const, value: undefined })),
    [Symbol.asyncIterator]: () => results,
  };
  const leaving = new AbortController();
  const admitStream = vi.fn(() => 'too many');
  const url = await serve(
    async (_req, res, context) => {
      context.takeResults?.(results);
      if (leaves) {
        leaving.abort();
        await once(res, 'close');
      }
      return new Response(null);
    },
    (handle) => (req, res) => void handle(req, res).catch(({ status }) => res.writeHead(status).end()),
    { admitStream },
  );
  const headers = { accept: 'text/event-stream' };
  const answer = fetch(`${url}?query={a}`, { headers, signal: leaving.signal });
  expect(await answer.then(({ status }) => status).catch(() => 'left')).toBe(leaves ? 'left' : 429);
  await expect.poll(() => results.return.mock.calls.length).toBe(1);
  expect(admitStream).toHaveBeenCalledTimes(leaves ? 0 : 1);
});
