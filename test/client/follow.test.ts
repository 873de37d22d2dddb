import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  createClient,
  NoAnswerError,
  type NodeSource,
  type Retry,
  type Subscribe,
} from '@srr-gateway/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type EventGateways, eventGateways } from '../_util/event-gateways.ts';

let gateways: EventGateways;
let client: Client<NodeSource>;
const sent: string[] = [];

beforeAll(async () => {
  gateways = await eventGateways();
  client = clientBy('sse');
  for (let i = 0; i < 5; i++) await deliver();
});
afterAll(() => gateways?.stop());

const url = () => gateways.replicas[0]?.url ?? '';
const clientBy = (transport: 'sse' | 'websocket') =>
  createClient({ url: `${url()}/graphql`, token: gateways.token, transport, webSocketImpl: WebSocket });

async function deliver(): Promise<void> {
  const externalId = `event-${sent.length}`;
  const response = await fetch(`${url()}/webhooks/commerce`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': gateways.webhookKey },
    body: JSON.stringify({ type: 'issue_failed', data: [{ externalId }] }),
  });
  expect(response.status).toBe(200);
  sent.push(externalId);
}

interface Failed {
  cursor: string;
  externalId: string;
}
const document = `subscription ($after: String, $from: EventStart, $where: EventFilter) {
  events(after: $after, from: $from, where: $where) { cursor ... on SRRFailed { externalId } }
}`;

/** Follows from the beginning until all events were seen that were sent before `until` resolved. */
async function followed(by: Client<NodeSource>, until: Promise<unknown>, subscribe?: Subscribe) {
  const seen: string[] = [];
  const saved: string[] = [];
  const stop = new AbortController();
  const following = by.follow<Failed>({
    document,
    from: 'BEGINNING',
    onEvent: ({ externalId }) => seen.push(externalId),
    save: (cursor) => saved.push(cursor),
    signal: stop.signal,
    ...(subscribe && { subscribe }),
  });
  await until;
  await expect.poll(() => seen.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(sent.length);
  // One more event comes after any repeated ones, so waiting for it shows that nothing was repeated.
  await deliver();
  await expect.poll(() => seen.at(-1)).toBe(sent.at(-1));
  stop.abort();
  await following;
  return { seen, saved };
}

describe('a follower', () => {
  it.each(['sse', 'websocket'] as const)(
    'ends when it is aborted before it is connected: %s',
    async (transport) => {
      for (const from of ['BEGINNING', 'NOW'] as const) {
        const stop = new AbortController();
        const following = clientBy(transport).follow({ from, onEvent: () => {}, signal: stop.signal });
        stop.abort();
        await following;
      }
    },
  );

  it.each(['sse', 'websocket'] as const)(
    'waits while the function of its token throws a NoAnswerError, and ends with any other error: %s',
    async (transport) => {
      const stop = new AbortController();
      const thrown: Error[] = [new NoAnswerError('The sign-in service is away.'), new Error('Signed out.')];
      const token = () => {
        const error = thrown.shift();
        if (error) throw error;
        return gateways.token;
      };
      const own = createClient({ url: `${url()}/graphql`, token, transport, webSocketImpl: WebSocket });
      const following = own.follow({ from: 'BEGINNING', onEvent: () => stop.abort(), signal: stop.signal });
      await expect(following).rejects.toThrow('Signed out.');
      expect(thrown).toEqual([]);
    },
  );

  it.each(['sse', 'websocket'] as const)(
    'has each event once and in order through two kills of the gateway (%s)',
    async (transport) => {
      const kills = async () => {
        for (let i = 0; i < 2; i++) {
          await deliver();
          if (gateways.replicas[0]) await gateways.kill(gateways.replicas[0]);
          await deliver();
        }
      };
      const { seen, saved } = await followed(clientBy(transport), kills());
      expect(seen).toEqual(sent);
      expect(new Set(saved).size).toBe(sent.length);
      // A new follower resumes after the last cursor.
      const later: string[] = [];
      const stop = new AbortController();
      const following = client.follow<Failed>({
        document,
        after: saved.at(-2) ?? '',
        onEvent: ({ externalId }) => {
          later.push(externalId);
          stop.abort();
        },
        signal: stop.signal,
      });
      await following;
      expect(later).toEqual([sent.at(-1)]);
    },
    120_000,
  );

  it('delivers each event once when every connection repeats old ones', async () => {
    /** Ignores the cursor to resume from, and breaks after more and more events. */
    let length = 0;
    const forgetful: Subscribe = async function* (operation, signal) {
      length += 3;
      let count = 0;
      const variables = { ...operation.variables, after: undefined, from: 'BEGINNING' };
      for await (const { data } of client.subscribe<object, object>(operation.query, variables, signal)) {
        yield { data };
        if (++count === length) throw new Error('the connection broke');
      }
    };
    const { seen } = await followed(client, sleep(0), forgetful);
    expect(seen).toEqual(sent);
    expect(length).toBeGreaterThan(3);
  });

  it('from NOW leaves no gap when its first connection delivers nothing', async () => {
    const seen: string[] = [];
    const saved: string[] = [];
    const stop = new AbortController();
    let connections = 0;
    const subscribe: Subscribe = async function* (operation, signal) {
      // Events from between two connections come over the next one.
      if (++connections === 1) {
        await deliver();
        throw new Error('the connection broke');
      }
      for await (const { data } of client.subscribe<object, object>(
        operation.query,
        operation.variables,
        signal,
      ))
        yield { data };
    };
    await client.follow<Failed>({
      document,
      subscribe,
      save: (cursor) => saved.push(cursor),
      onEvent: ({ externalId }) => {
        seen.push(externalId);
        stop.abort();
      },
      signal: stop.signal,
    });
    expect(seen).toEqual([sent.at(-1)]);
    expect(saved).toHaveLength(2);
  });

  it('waits as long as a refusal without a retry-after header says', async () => {
    const stop = new AbortController();
    const waits: number[] = [];
    const subscribe: Subscribe = async function* () {
      const extensions = { code: 'RATE_LIMITED', retryAfter: 7 };
      yield { errors: [{ message: 'Too many requests.', extensions }] };
    };
    await client.follow({
      from: 'BEGINNING',
      onEvent: () => {},
      subscribe,
      onRetry: ({ waitMs }) => {
        waits.push(waitMs);
        stop.abort();
      },
      signal: stop.signal,
    });
    expect(waits).toEqual([7_000]);
  });

  // The second is what a call of the client throws within onEvent: it is no lost connection of this one.
  it.each([new Error('no room'), new NoAnswerError('no room')])(
    'ends with what onEvent throws, without delivering the event twice: %s',
    async (error) => {
      let calls = 0;
      const following = client.follow({
        from: 'BEGINNING',
        onEvent: () => {
          calls++;
          throw error;
        },
      });
      await expect(following).rejects.toBe(error);
      expect(calls).toBe(1);
    },
  );

  it.each(['sse', 'websocket'] as const)(
    'asks for the token at each connection, and ends with one that is refused: %s',
    async (transport) => {
      const tokens = [gateways.token, gateways.token, 'a-token-that-has-expired'];
      const token = () => tokens.shift() ?? '';
      const signedIn = createClient({ url: `${url()}/graphql`, token, transport, webSocketImpl: WebSocket });
      const seen: string[] = [];
      const following = signedIn.follow<Failed>({
        document,
        from: 'BEGINNING',
        onEvent: ({ externalId }) => seen.push(externalId),
        async *subscribe({ query, variables }, signal) {
          for await (const { data } of signedIn.subscribe<object, object>(query, variables, signal)) {
            yield { data };
            throw new Error('the connection broke');
          }
        },
      });
      await expect(following).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
      expect(seen).toEqual(sent.slice(0, 2));
    },
  );

  it.each(['sse', 'websocket'] as const)(
    'ends with what the token function throws, but reconnects after a NoAnswerError: %s',
    async (transport) => {
      const thrown = [new NoAnswerError('the sign-in service is down'), new Error('signed out')];
      const token = () => {
        throw thrown.shift();
      };
      const retried: string[] = [];
      const onRetry = ({ error }: Retry) => retried.push(error.message);
      const of = { url: `${url()}/graphql`, token, onRetry, transport, webSocketImpl: WebSocket };
      const following = createClient(of).follow({ from: 'BEGINNING', onEvent: () => {} });
      await expect(following).rejects.toThrow('signed out');
      expect(retried).toEqual(['the sign-in service is down']);
    },
  );

  it('rejects a malformed cursor', async () => {
    await expect(client.follow({ after: 'nonsense', onEvent: () => {} })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});
