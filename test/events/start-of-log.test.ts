import { createClient } from 'graphql-sse';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type LoneGateway,
  loneIssuer,
  loneToken,
  loneWebhookKey,
  startLoneGateway,
} from '../_util/lone-gateway.ts';

let gateway: LoneGateway;
// Each test, and each retry, begins with an empty log.
beforeEach(async () => {
  gateway = await startLoneGateway();
});
afterEach(() => gateway?.stop());

async function deliver(...externalIds: string[]): Promise<void> {
  const response = await fetch(`${gateway.address}/webhooks/commerce`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': loneWebhookKey },
    body: JSON.stringify({ type: 'issue_failed', data: externalIds.map((externalId) => ({ externalId })) }),
  });
  expect(response.status).toBe(200);
}

async function log(args = ''): Promise<{ headCursor: string; edges: { cursor: string }[] }> {
  const { events } = await gateway.caller.data(`{ events${args} { headCursor edges { cursor } } }`);
  return events;
}

/** Subscribes to a feed, and returns the externalIds of its first `count` events. */
async function firstEvents(feed: string, count: number, opened?: () => Promise<void>): Promise<string[]> {
  const client = createClient({
    url: `${gateway.address}/graphql`,
    headers: { authorization: `Bearer ${loneToken}` },
    retryAttempts: 0,
  });
  const found: string[] = [];
  const connected = Promise.withResolvers<void>();
  const results = client.iterate({ query: `subscription { ${feed} { ... on SRRFailed { externalId } } }` }, {
    connected: () => connected.resolve(),
  } as never);
  const reading = (async () => {
    for await (const { data, errors } of results) {
      if (errors) throw errors[0];
      found.push(
        ...Object.values(data as Record<string, { externalId: string }>).map((one) => one.externalId),
      );
      if (found.length >= count) break;
    }
  })();
  await connected.promise;
  await opened?.();
  await reading;
  client.dispose();
  return found;
}

describe('the start of the log', () => {
  it('has a cursor while the log is empty, from which every event is received', async () => {
    const { headCursor, edges } = await log();
    expect(edges).toEqual([]);
    expect(headCursor).toBeTruthy();
    expect((await log(`(after: "${headCursor}")`)).edges).toEqual([]);
    await deliver('one', 'two');
    expect(await firstEvents(`events(after: "${headCursor}")`, 2)).toEqual(['one', 'two']);
    expect(await firstEvents(`miningOutcomes(after: "${headCursor}")`, 2)).toEqual(['one', 'two']);
  });

  it('has a headCursor that moves with each event, independent of page and filter', async () => {
    await deliver('one', 'two');
    const { headCursor, edges } = await log();
    expect(headCursor).toBe(edges.at(-1)?.cursor);
    expect((await log('(first: 1)')).headCursor).toBe(headCursor);
    expect((await log('(where: { externalIds: ["nobody"] })')).headCursor).toBe(headCursor);
    await deliver('three');
    expect((await log('(first: 0)')).headCursor).not.toBe(headCursor);
    expect((await log(`(after: "${headCursor}")`)).edges).toHaveLength(1);
  });

  it.each(['events', 'miningOutcomes'])('can be replayed by %s, which then continues live', async (feed) => {
    await deliver('one', 'two');
    await deliver('three');
    const found = await firstEvents(`${feed}(from: BEGINNING)`, 4, () => deliver('live'));
    expect(found).toEqual(['one', 'two', 'three', 'live']);
  });

  it.each(['(from: NOW)', '(from: null)', ''])('is not replayed for events%s', async (args) => {
    await deliver('before');
    expect(await firstEvents(`events${args}`, 1, () => deliver('now'))).toEqual(['now']);
  });

  it('is ignored beside a cursor', async () => {
    await deliver('before a cursor');
    const { headCursor } = await log();
    const next = 'after a cursor';
    await deliver(next);
    expect(await firstEvents(`events(after: "${headCursor}", from: BEGINNING)`, 1)).toEqual([next]);
  });

  it('of another issuer’s log is refused as a cursor', async () => {
    const other = Buffer.from(`${'1'.repeat(8)}:0`).toString('base64url');
    expect(loneIssuer).not.toContain('0x11111111');
    const { errors } = await gateway.caller.ask(`{ events(after: "${other}") { headCursor } }`);
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', inputPath: ['after'] } }]);
  });
});
