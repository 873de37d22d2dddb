import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silent } from '@srr-gateway/common/testing/database';
import { afterEach, describe, expect, it } from 'vitest';
import { OpenResponses, streamLimit } from './open-responses.ts';

/** What many GraphQL clients send with each of their operations. */
const accept = 'application/graphql-response+json, application/json, text/event-stream';
const eventStream = { 'content-type': 'text/event-stream' };

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  // A drain has closed it already.
  server.close(() => {});
});

async function listen(listener: RequestListener): Promise<OpenResponses> {
  server = createServer(listener);
  const open = new OpenResponses(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return open;
}

const ask = (headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`, {
    headers: { accept, ...headers },
  });

describe('a drain', () => {
  it('lets an answer end that is no event stream, though its reader would accept one', async () => {
    const slow = Promise.withResolvers<void>();
    const open = await listen(async (req, res) => {
      res.setHeader('x-request-id', 'a-request');
      res.writeHead(200, { 'content-type': 'application/json' }).write('{"data":');
      await slow.promise;
      res.end('{}}');
      req.resume();
    });
    const answer = await ask();
    const drained = open.drain(5_000);
    // Longer than any pause between the drain's looks.
    setTimeout(slow.resolve, 400);
    expect(await answer.json()).toEqual({ data: {} });
    await drained;
  });

  it('ends an event stream between two events, and says when to come back', async () => {
    const open = await listen((_req, res) => {
      res.setHeader('x-request-id', 'a-request');
      res.writeHead(200, eventStream).write('data: 1\n\n');
    });
    const answer = await ask();
    expect(open.countEventStreams()).toBe(1);
    await open.drain(5_000);
    expect(await answer.text()).toMatch(/^data: 1\n\n: the gateway stops\nretry: \d{1,4}\n\n$/);
    expect(open.countEventStreams()).toBe(0);
  });
});

describe('the limit of event streams', () => {
  const from = { 'x-forwarded-for': '192.0.2.1' };
  let written: number;

  /** `?stream` makes an event stream, anything else an answer that takes until `finish`. */
  async function limited(max: number) {
    const finish = Promise.withResolvers<void>();
    const { hook } = streamLimit(max, 1, silent);
    written = 0;
    const open = await listen(async (req, res) => {
      res.on('error', () => {});
      res.setHeader('x-request-id', 'a-request');
      await hook(req, res, new URL('http://gateway/graphql'));
      if (req.headers['x-stream']) {
        res.writeHead(200, { ...eventStream, 'content-encoding': 'none' });
        res.write('data: 1\n\n');
        written++;
        return;
      }
      await finish.promise;
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    return { open, finish };
  }

  it('does not count answers that only might have been streams', async () => {
    const { finish } = await limited(2);
    const answers = [1, 2, 3, 4].map(() => ask(from));
    const streams = await Promise.all([1, 2].map(() => ask({ ...from, 'x-stream': '1' })));
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    // Nor does it refuse them when its streams are used up.
    answers.push(ask(from));
    finish.resolve();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (const { body } of streams) await body?.cancel();
  });

  it('answers the stream that is too many by an error, whatever is written to it then', async () => {
    const { open } = await limited(1);
    const first = await ask({ ...from, 'x-stream': '1' });
    const second = await ask({ ...from, 'x-stream': '1' });
    expect(second.status).toBe(429);
    expect(second.headers.get('content-type')).toContain('application/json');
    expect(await second.json()).toMatchObject({
      errors: [{ message: expect.stringContaining('(MAX_STREAMS)'), extensions: { code: 'RATE_LIMITED' } }],
    });
    expect(written).toBe(2);
    await first.body?.cancel();
    await expect.poll(() => open.countEventStreams()).toBe(0);
    expect((await ask({ ...from, 'x-stream': '1' })).status).toBe(200);
  });
});
