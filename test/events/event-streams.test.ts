import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventGateways, eventGateways } from '../_util/event-gateways.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';

let gateways: EventGateways;
let url: string;
let caller: GraphQLCaller;

beforeAll(async () => {
  gateways = await eventGateways({ env: { SUBSCRIBER_MAX_LAG: '500' } });
  url = gateways.replicas[0]?.url as string;
  caller = new GraphQLCaller(url, { authorization: `Bearer ${gateways.token}` });
});
afterAll(() => gateways?.stop());

const query = `subscription ($after: String, $detail: Boolean = false) {
  events(after: $after) { cursor receivedAt @include(if: $detail) ... on SRRFailed { externalId } }
}`;

let nth = 0;
async function deliver(count: number, more: object = {}): Promise<string[]> {
  const externalIds = Array.from({ length: count }, () => `event-${nth++}`);
  const answer = await fetch(`${url}/webhooks/commerce`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': gateways.webhookKey },
    body: JSON.stringify({
      type: 'issue_failed',
      data: externalIds.map((externalId) => ({ externalId, ...more })),
    }),
  });
  expect(answer.status).toBe(200);
  return externalIds;
}

async function lastCursor(): Promise<string> {
  let after: string | null = null;
  for (;;) {
    const { events } = await caller.data(
      'query ($after: String) { events(first: 999, after: $after) { pageInfo { hasNextPage endCursor } } }',
      { after },
    );
    after = events.pageInfo.endCursor as string;
    if (!events.pageInfo.hasNextPage) return after;
  }
}

/** Opens a stream. `text` and `events` return what has arrived so far. */
async function open(variables: object, headers: Record<string, string> = {}) {
  const leaving = new AbortController();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...caller.headers,
      ...headers,
    },
    body: JSON.stringify({ query, variables }),
    signal: leaving.signal,
  });
  let text = '';
  (async () => {
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>)
      text += Buffer.from(piece).toString();
  })().catch(() => {});
  const events = () =>
    [...text.matchAll(/^event: next\nid: (.+)\ndata: (.+)$/gm)].map(([, id, data]) => ({
      id,
      ...JSON.parse(data as string).data.events,
    }));
  return { response, text: () => text, events, leave: () => leaving.abort() };
}

describe('an event stream', () => {
  it('has a retry time, and the cursor as the id of each event', async () => {
    await deliver(1);
    const start = await lastCursor();
    const stream = await open({ after: start });
    expect(stream.response.headers.get('content-type')).toContain('text/event-stream');
    expect(stream.response.headers.get('x-accel-buffering')).toBe('no');
    expect(stream.response.headers.get('cache-control')).toBe('private, no-store, no-transform');
    const sent = await deliver(3);
    await expect.poll(() => stream.events().map(({ externalId }) => externalId)).toEqual(sent);
    expect(stream.text()).toMatch(/^retry: \d+\n\n/);
    expect(stream.events().every(({ id, cursor }) => id === cursor)).toBe(true);
    stream.leave();
  });

  it.each(['*/*', 'application/json', 'multipart/mixed'])('is refused for Accept: %s', async (accept) => {
    const { response, text } = await open({}, { accept });
    expect(response.status).toBe(406);
    await expect.poll(text).toContain('Accept: text/event-stream');
  });

  it('has a heartbeat at least every 12 s', async () => {
    const stream = await open({});
    // Allows for a busy machine, but not for a second interval.
    await expect.poll(() => stream.text(), { timeout: 20_000 }).toMatch(/^retry: \d+\n\n:\n\n/);
    stream.leave();
  });

  it('resumes after Last-Event-ID, whatever `after` says', async () => {
    const start = await lastCursor();
    const [, second, third] = await deliver(3);
    const first = await open({ after: start });
    await expect.poll(() => first.events().length).toBe(3);
    first.leave();
    const resumed = await open({ after: start }, { 'last-event-id': first.events()[0].id });
    await expect.poll(() => resumed.events().map(({ externalId }) => externalId)).toEqual([second, third]);
    resumed.leave();
  });

  it.each([
    ['after', { after: 'Zm9yZ2Vk' }, {}],
    ['Last-Event-ID', {}, { 'last-event-id': 'forged' }],
  ])('is refused with a typed error for a forged %s', async (_, variables, headers) => {
    const stream = await open(variables, headers);
    await expect.poll(() => stream.text()).toMatch(/"code":"INVALID_INPUT"/);
  });

  it('has for each subscriber only the fields that it selected', async () => {
    const start = await lastCursor();
    const plain = await open({ after: start });
    const detailed = await open({ after: start, detail: true });
    // Once both are live, they read the same row from the same tail.
    await deliver(1);
    await expect.poll(() => [plain, detailed].map((one) => one.events().length)).toEqual([1, 1]);
    await deliver(20);
    await expect.poll(() => [plain, detailed].map((one) => one.events().length)).toEqual([21, 21]);
    expect(plain.events().every((event) => !('receivedAt' in event))).toBe(true);
    expect(detailed.events().every((event) => typeof event.receivedAt === 'string')).toBe(true);
    for (const { leave } of [plain, detailed]) leave();
  });
});

describe('a subscriber that stops reading', () => {
  /** A reader on a bare socket, which reads nothing while it is paused. */
  function bareReader(after: string): { socket: Socket; text(): string } {
    const body = JSON.stringify({ query: query.replace('cursor', 'cursor raw'), variables: { after } });
    const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1');
    let text = '';
    socket.on('data', (piece: string) => {
      text += piece;
    });
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n` +
        `Authorization: Bearer ${gateways.token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    return { socket, text: () => text };
  }

  const idsIn = (text: string) => [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id);

  /** The resident memory of the gateway's process, without that of the tests. */
  function memory(): number {
    const status = readFileSync(`/proc/${gateways.replicas[0]?.pid()}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  }

  it.runIf(process.platform === 'linux')(
    'gets its last cursor when it reads on, without the gateway buffering what it missed',
    async () => {
      const start = await lastCursor();
      const quick = await open({ after: start });
      const readers = Array.from({ length: 20 }, () => bareReader(start));
      // A reader that got two separate events is past its replay, which waits for slow readers without limit.
      for (const seen of [1, 2]) {
        await deliver(1);
        await expect.poll(() => readers.every(({ text }) => idsIn(text()).length === seen)).toBe(true);
      }
      for (const { socket } of readers) socket.pause();
      // 60 MB of events for each reader: more than the system's buffers and a queue of a thousand hold.
      const before = memory();
      const padding = 'x'.repeat(20_000);
      for (let i = 0; i < 12; i++) await deliver(249, { padding });
      await expect.poll(() => quick.events().length, { timeout: 20_000 }).toBe(12 * 249 + 2);
      // Buffered for each reader they would take 1,200 MB.
      expect(memory() - before).toBeLessThan(500e6);
      const [{ socket, text: received }] = readers as [ReturnType<typeof bareReader>];
      socket.resume();
      await expect.poll(() => /event: complete/.test(received()), { timeout: 20_000 }).toBe(true);
      const text = received();
      expect(text.includes('"code":"SUBSCRIBER_LAGGED"')).toBe(true);
      const lagged = JSON.parse(/^data: (.*SUBSCRIBER_LAGGED.*)$/m.exec(text)?.[1] as string);
      const { cursor } = lagged.errors[0].extensions;
      expect(idsIn(text).at(-1)).toBe(cursor);
      const resumed = await open({ after: cursor });
      const taken = idsIn(text).length;
      await expect.poll(() => taken + resumed.events().length, { timeout: 20_000 }).toBe(12 * 249 + 2);
      for (const { socket } of readers) socket.destroy();
      for (const { leave } of [quick, resumed]) leave();
    },
  );
});
