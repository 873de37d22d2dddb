import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Address } from '@srr-gateway/common/address';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '../../src/events/cursor.ts';
import type { EventFilter, EventLog } from '../../src/events/event-log.ts';
import { SubscriberQueue } from '../../src/events/subscriber-queue.ts';
import type { EventType } from '../../src/model/event-type.ts';
import { Signals } from '../../src/store/signals.ts';
import type { EventRow } from '../../src/store/tables.ts';
import { type EventStore, eventStore, failures, issuerNumber } from '../_util/event-store.ts';
import { storeIssuance } from '../_util/stored-issuance.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let events: EventStore;
let nextIssuer = 1;
const freshIssuer = () => issuerNumber(nextIssuer++);

beforeAll(async () => {
  events = await eventStore();
});
afterAll(() => events?.stop());

interface Follower {
  seen: EventRow[];
  ended: Promise<unknown>;
  leave(): void;
}

/** A subscriber that reads events as fast as `pause` lets it. */
async function follow(
  log: EventLog,
  issuer: Address,
  {
    after,
    filter = {},
    pause,
  }: { after?: string; filter?: EventFilter; pause?: () => Promise<unknown> } = {},
): Promise<Follower> {
  const leaving = new AbortController();
  const rows = await log.follow(issuer, after, filter, leaving.signal);
  const seen: EventRow[] = [];
  const ended = (async () => {
    for await (const row of rows) {
      seen.push(row);
      await pause?.();
    }
  })().catch((error: unknown) => error);
  return { seen, ended, leave: () => leaving.abort() };
}

const cursors = (rows: EventRow[]) => rows.map(({ cursor }) => Number(cursor));
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

/** Signals that come only when the test sends them. */
function sentSignals() {
  let next = Promise.withResolvers<void>();
  async function* ticks() {
    for (;;) {
      await next.promise;
      next = Promise.withResolvers();
      yield;
    }
  }
  return { signals: { ticks } as unknown as Signals, wake: () => next.resolve() };
}

describe('live subscribers of one issuer', () => {
  it('get an event once if they have replayed it before the tail reaches it', async () => {
    const issuer = freshIssuer();
    const { signals, wake } = sentSignals();
    const log = events.log({ signals });
    const first = await follow(log, issuer);
    await events.deliver(issuer, failures(1));
    events.reads.length = 0;
    const second = await follow(log, issuer, { after: '0' });
    // Reads of the end of the log, of the replay, and of what came before it joined the tail.
    await expect.poll(() => events.reads.length).toBe(3);
    expect(cursors(second.seen)).toEqual([1]);
    wake();
    await expect.poll(() => cursors(first.seen)).toEqual([1]);
    await events.deliver(issuer, failures(1));
    wake();
    await expect.poll(() => cursors(second.seen).at(-1)).toBe(2);
    expect(cursors(second.seen)).toEqual([1, 2]);
    for (const { leave } of [first, second]) leave();
    await Promise.all([first, second].map(({ ended }) => ended));
  });

  it('get all events at one wake-up, even if one read has fewer', async () => {
    const issuer = freshIssuer();
    const { signals, wake } = sentSignals();
    const follower = await follow(events.log({ signals }), issuer);
    await events.deliver(issuer, failures(600));
    wake();
    await expect.poll(() => cursors(follower.seen)).toEqual(upTo(600));
    follower.leave();
    await follower.ended;
  });

  it('share one read of the log at each wake-up, however many they are', async () => {
    const issuer = freshIssuer();
    const log = events.log();
    const followers = await Promise.all(Array.from({ length: 100 }, () => follow(log, issuer)));
    await events.deliver(issuer, failures(1));
    await expect.poll(() => followers.every(({ seen }) => seen.length === 1)).toBe(true);
    events.reads.length = 0;
    await events.deliver(issuer, failures(5));
    await expect.poll(() => followers.every(({ seen }) => seen.length === 6)).toBe(true);
    // A second wake-up may cost one more read, but a hundred subscribers cost none.
    expect(events.reads.length).toBeLessThanOrEqual(2);
    for (const { leave } of followers) leave();
    await Promise.all(followers.map(({ ended }) => ended));
    events.reads.length = 0;
    await events.deliver(issuer, failures(1));
    await Signals.send(events.store.db, 'events', issuer);
    await sleep(100);
    expect(events.reads).toEqual([]);
  });

  it('continue after the log could not be read for a while', async () => {
    const issuer = freshIssuer();
    const log = events.log();
    const follower = await follow(log, issuer);
    await sql`alter table gateway.event rename to event_elsewhere`.execute(events.store.db);
    await Signals.send(events.store.db, 'events', issuer);
    await sleep(300);
    await sql`alter table gateway.event_elsewhere rename to event`.execute(events.store.db);
    await events.deliver(issuer, failures(3));
    await expect.poll(() => cursors(follower.seen)).toEqual([1, 2, 3]);
    follower.leave();
    expect(await follower.ended).toBeUndefined();
  });
});

describe('a first subscriber', () => {
  it('does not keep others out if the log cannot be read for it', async () => {
    const issuer = freshIssuer();
    let isDown = true;
    const db = events.store.db.withPlugin({
      transformQuery: ({ node }) => {
        if (isDown) throw new Error('no connection');
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const log = events.log({ db });
    await expect(follow(log, issuer)).rejects.toThrow('no connection');
    isDown = false;
    const next = await follow(log, issuer);
    await events.deliver(issuer, failures(1));
    await expect.poll(() => cursors(next.seen)).toEqual([1]);
    next.leave();
  });

  it('that has left already does not keep the gateway reading the log', async () => {
    let reading: AbortSignal | undefined;
    const signals = new Signals();
    const ticks = signals.ticks.bind(signals);
    signals.ticks = (topic, key, signal, pollMs) => {
      reading = signal;
      return ticks(topic, key, signal, pollMs);
    };
    await events.log({ signals }).follow(freshIssuer(), undefined, {}, AbortSignal.abort());
    expect(reading?.aborted).toBe(true);
  });
});

describe('the switch from replay to live', () => {
  it('reads the log once, even if its last events do not match the filter', async () => {
    const issuer = freshIssuer();
    await events.deliver(issuer, failures(5));
    const readAfter: string[] = [];
    const db = events.store.db.withPlugin({
      transformQuery: ({ node }) => {
        // The reads of the tail have no filter.
        const read = /"cursor".*?"operator":">".*?"value":"(\d+)".*COLLECTION_CREATED/;
        const [, after] = read.exec(JSON.stringify(node)) ?? [];
        if (after !== undefined) readAfter.push(after);
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const filter: EventFilter = { types: ['COLLECTION_CREATED'] };
    const follower = await follow(events.log({ db }), issuer, { after: '0', filter });
    // The second read looks for what was stored between the first and the join of the tail.
    await expect.poll(() => readAfter).toHaveLength(2);
    expect(readAfter).toEqual(['0', '5']);
    follower.leave();
    await follower.ended;
  });

  it('has no gap and no repeat while deliveries keep coming', async () => {
    const issuer = freshIssuer();
    const log = events.log();
    await events.deliver(issuer, failures(450));
    let delivering = true;
    const storm = (async () => {
      while (delivering) await Promise.all([1, 3, 7].map((n) => events.deliver(issuer, failures(n))));
    })();
    const followers: Follower[] = [];
    for (let i = 0; i < 20; i++)
      followers.push(await follow(log, issuer, { after: String(i * 20), pause: () => sleep(0) }));
    delivering = false;
    await storm;
    const all = Number(await log.head(issuer));
    const arrived = () => followers.every(({ seen }) => Number(seen.at(-1)?.cursor) === all);
    await expect.poll(arrived, { timeout: 20_000 }).toBe(true);
    followers.forEach(({ seen }, i) => {
      expect(cursors(seen)).toEqual(upTo(all).slice(i * 20));
    });
    for (const { leave } of followers) leave();
  });

  it('of many subscribers at once leaves database connections and event loop turns to others', async () => {
    const issuer = freshIssuer();
    await events.deliver(issuer, failures(200));
    const log = events.log();
    const read = log.read.bind(log);
    const free = Promise.withResolvers<void>();
    let reads = 0;
    log.read = async (...of) => {
      reads++;
      await free.promise;
      return read(...of);
    };
    const followers: Follower[] = [];
    for (let i = 0; i < 20; i++) followers.push(await follow(log, issuer, { after: '0' }));
    await sleep(0);
    expect(reads).toBeLessThan(10);
    let seenInOneTurn = 0;
    const before = followers.map(() => 0);
    const turns = setInterval(() => {
      for (const [i, { seen }] of followers.entries()) {
        seenInOneTurn = Math.max(seenInOneTurn, seen.length - (before[i] ?? 0));
        before[i] = seen.length;
      }
    });
    free.resolve();
    await expect.poll(() => followers.every(({ seen }) => seen.length === 200)).toBe(true);
    clearInterval(turns);
    expect(seenInOneTurn).toBeLessThan(200);
    for (const { leave } of followers) leave();
  });

  /** Runs a transaction that has its place in the log, but commits only after a second one was `tried`. */
  const overlap = async (
    store: (commit: () => Promise<void>) => Promise<unknown>,
    second: () => Promise<unknown>,
    tried: () => Promise<unknown>,
  ) => {
    const placed = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const first = store(() => {
      placed.resolve();
      return commit.promise;
    });
    await placed.promise;
    const other = second();
    await tried();
    commit.resolve();
    await Promise.all([first, other]);
  };

  /** Waits until the second transaction is blocked. On PGlite's one connection it has not even begun. */
  const waitsForALock = async () => {
    if (!process.env.TEST_DATABASE_URL) return;
    const waiting = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await waiting.execute(events.store.db)).rows[0]?.count).toBe(1);
  };

  it('shows all events of overlapping transactions, in the order of their commits', async () => {
    const issuer = freshIssuer();
    const log = events.log();
    await events.deliver(issuer, failures(1));
    const follower = await follow(log, issuer, { after: '0' });
    await expect.poll(() => follower.seen.length).toBe(1);
    await overlap(
      (commit) =>
        events.deliver(issuer, failures(2), 'issue_failed', async (_trx, _issuer, delivered) => {
          await commit();
          return delivered;
        }),
      () => events.deliver(issuer, failures(2)),
      waitsForALock,
    );
    await expect.poll(() => cursors(follower.seen)).toEqual(upTo(5));
    follower.leave();
  });

  // PGlite has one connection, on which transactions cannot overlap.
  it.runIf(process.env.TEST_DATABASE_URL)(
    'would lose an event if cursors came from a plain sequence',
    async () => {
      const issuer = freshIssuer();
      const { db } = events.store;
      await sql`create sequence gateway.plain`.execute(db);
      const log = events.log();
      const follower = await follow(log, issuer, { after: '0' });
      const store = (text: string, commit = () => Promise.resolve()) =>
        db.transaction().execute(async (trx) => {
          await sql`insert into gateway.event (issuer, cursor, type, kind, source, dedupe, raw)
          values (${issuer}, nextval('gateway.plain'), 'SRR_FAILED', 'k', 'WEBHOOK', ${text}, '{}')`.execute(
            trx,
          );
          await Signals.send(trx, 'events', issuer);
          await commit();
        });
      await overlap(
        (commit) => store('first', commit),
        () => store('second'),
        () => expect.poll(() => follower.seen.length).toBe(1),
      );
      await store('third');
      await expect.poll(() => follower.seen.at(-1)?.dedupe).toBe('third');
      expect(follower.seen.map(({ dedupe }) => dedupe)).toEqual(['second', 'third']);
      follower.leave();
    },
  );
});

describe('a subscriber that stops reading', () => {
  /** Reads one event, and no more until `go` is called. */
  const stalled = () => {
    const go = Promise.withResolvers<void>();
    return { pause: () => go.promise, go: go.resolve };
  };

  it('catches up from the log if it is not too far behind', async () => {
    const issuer = freshIssuer();
    // The ten events that wait in memory do not count, so it is exactly so far behind.
    const log = events.log({ capacity: 10, maxLag: 590 });
    const { pause, go } = stalled();
    const follower = await follow(log, issuer, { pause });
    const quick = await follow(events.log(), issuer);
    for (let i = 0; i < 30; i++) await events.deliver(issuer, failures(20));
    await expect.poll(() => quick.seen.length).toBe(600);
    expect(follower.seen.length).toBe(1);
    go();
    await expect.poll(() => follower.seen.length).toBe(600);
    expect(cursors(follower.seen)).toEqual(upTo(600));
    for (const { leave } of [follower, quick]) leave();
  });

  it('gets a cursor to resume from if it is too far behind, and misses nothing', async () => {
    const issuer = freshIssuer();
    const log = events.log({ capacity: 10, maxLag: 50 });
    const { pause, go } = stalled();
    const follower = await follow(log, issuer, { pause });
    // By a log without these limits, because on a busy machine it may lag a little, too.
    const quick = await follow(events.log(), issuer);
    for (let i = 0; i < 10; i++) await events.deliver(issuer, failures(20));
    await expect.poll(() => quick.seen.length).toBe(200);
    go();
    const lag = await follower.ended;
    expect(lag).toMatchObject({
      code: 'SUBSCRIBER_LAGGED',
      faults: [{ message: expect.stringMatching(/behind.*no event is lost/), cursor: expect.any(String) }],
    });
    const last = follower.seen.at(-1)?.cursor as string;
    const resumed = await follow(log, issuer, { after: last });
    await expect.poll(() => follower.seen.length + resumed.seen.length).toBe(200);
    expect(cursors([...follower.seen, ...resumed.seen])).toEqual(upTo(200));
    for (const { leave } of [resumed, quick]) leave();
  });

  it('leaves no listener behind at each overflow', () => {
    const { signal } = new AbortController();
    const queue = new SubscriberQueue({}, 1, signal, () => {});
    for (const cursor of ['1', '2']) queue.offer({ cursor } as EventRow, new Map());
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('takes bounded memory, however much is delivered meanwhile', async () => {
    const issuer = freshIssuer();
    const log = events.log({ capacity: 10 });
    const { pause, go } = stalled();
    const follower = await follow(log, issuer, { pause });
    const quick = await follow(log, issuer);
    const handedOut: WeakRef<EventRow>[] = [];
    for (let i = 0; i < 20; i++) {
      await events.deliver(issuer, failures(50));
      await expect.poll(() => quick.seen.length).toBe(50);
      handedOut.push(...quick.seen.splice(0).map((row) => new WeakRef(row)));
    }
    expect(handedOut.length).toBe(1_000);
    quick.leave();
    await quick.ended;
    // Held for the stalled subscriber: one event read, ten in its queue, and the rest of their delivery.
    await expect
      .poll(() => {
        collectGarbage();
        return handedOut.filter((row) => row.deref()).length;
      })
      .toBeLessThanOrEqual(50);
    go();
    await expect.poll(() => follower.seen.length).toBe(1_000);
    follower.leave();
  });
});

describe('isolation', () => {
  const issuers = [1_000_001, 1_000_002, 1_000_003].map(issuerNumber);
  const words = ['a', 'b', 'c', 'd'];
  const kinds = ['issue_failed', 'transfer_complete', 'collection_created', 'novel'];
  const collections = [2_000_001, 2_000_002].map(issuerNumber);

  const delivery = fc.record({
    issuer: fc.constantFrom(...issuers),
    kind: fc.constantFrom(...kinds),
    entry: fc.record(
      {
        externalId: fc.constantFrom(...words),
        tokenId: fc.constantFrom('1', '2', '3'),
        collectionAddress: fc.constantFrom(...collections),
        n: fc.integer(),
      },
      { requiredKeys: ['n'] },
    ),
  });
  const list = <T>(values: readonly T[]) => fc.option(fc.subarray([...values]), { nil: undefined });
  const filter: fc.Arbitrary<EventFilter> = fc.record({
    types: list<EventType>(['SRR_FAILED', 'TRANSFER_COMPLETED', 'COLLECTION_CREATED', 'UNRECOGNIZED']),
    externalIds: list(words),
    tokenIds: list(['1', '2']),
    collection: fc.option(fc.constantFrom(...collections), { nil: undefined }),
    issuance: fc.option(fc.constant('00000000-0000-4000-8000-000000000000'), { nil: undefined, freq: 5 }),
  });

  it('holds for every issuer, filter and cursor, replayed and live alike', async () => {
    const log = events.log({ capacity: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(delivery, { minLength: 1, maxLength: 12 }),
        fc.array(fc.record({ issuer: fc.constantFrom(...issuers), filter, back: fc.nat(30) }), {
          minLength: 1,
          maxLength: 4,
        }),
        async (deliveries, subscriptions) => {
          const followers = await Promise.all(
            subscriptions.map(async ({ issuer, filter, back }) => {
              const after = String(Math.max(0, Number(await log.head(issuer)) - back));
              return { issuer, filter, after, ...(await follow(log, issuer, { after, filter })) };
            }),
          );
          await Promise.all(
            deliveries.map(({ issuer, kind, entry }) => events.deliver(issuer, [entry], kind)),
          );
          for (const { issuer, filter, after, seen } of followers) {
            const { rows } = await sql<EventRow>`select * from gateway.event
              where issuer = ${issuer} and cursor > ${after} order by cursor`.execute(events.store.db);
            const expected = rows.filter((row) => allows(filter, row)).map(({ cursor }) => cursor);
            await expect.poll(() => seen.length, { interval: 5 }).toBe(expected.length);
            expect(seen.map(({ cursor }) => cursor)).toEqual(expected);
            expect(seen.every((row) => row.issuer === issuer)).toBe(true);
          }
          for (const { leave } of followers) leave();
        },
      ),
      { numRuns: 60 },
    );
  }, 120_000);

  it('refuses cursors of other issuers, from the future, and malformed ones', async () => {
    const log = events.log();
    const [mine, other] = issuers as [Address, Address];
    await events.deliver(mine, failures(3));
    const head = await log.head(mine);
    expect(decodeCursor(mine, encodeCursor(mine, head))).toBe(head);
    for (const forged of [
      encodeCursor(other, '1'),
      encodeCursor(mine, '-1'),
      encodeCursor(mine, '1; drop table'),
      head,
      '',
      'nonsense',
    ])
      expect(() => decodeCursor(mine, forged)).toThrow(/not belong to this issuer/);
    await fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeCursor(mine, text)).toThrow(/not belong to this issuer/);
      }),
    );
    const ahead = String(BigInt(head) + 1n);
    await expect(log.follow(mine, ahead, {}, new AbortController().signal)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});

it('the events of an issuance exclude those of the same token id in another collection', async () => {
  const issuer = freshIssuer();
  const [own, other] = [issuerNumber(970), issuerNumber(971)];
  const entry = { external_id: 'own', status: 'ISSUED', token_id: '7', collection_address: own } as const;
  const issuance = await storeIssuance(events.store.db, issuer, {
    issuance: { status: 'COMPLETED' },
    batch: { status: 'ACCEPTED' },
    entries: [entry],
  });
  const filter = { issuance };
  const log = events.log();
  const live = await follow(log, issuer, { filter });
  const transfers = [own, other, undefined].map((address) => ({
    tokenId: '7',
    collectionContractAddress: address,
  }));
  await events.deliver(issuer, [...transfers, { externalId: 'own' }]);
  const replayed = await follow(log, issuer, { after: '0', filter });
  for (const { seen } of [live, replayed])
    await expect
      .poll(() => seen.map(({ collection_address }) => collection_address))
      .toEqual([own, null, null]);
  live.leave();
  replayed.leave();
});

it('the events of an issuance exclude those that settled the same record of another one', async () => {
  const issuer = freshIssuer();
  const record = { external_id: 'again', status: 'FAILED', token_id: '8' } as const;
  const store = () =>
    storeIssuance(events.store.db, issuer, {
      issuance: { status: 'COMPLETED' },
      batch: { status: 'ACCEPTED' },
      entries: [record],
    });
  const [first, second] = [await store(), await store()];
  const log = events.log();
  const live = await follow(log, issuer, { filter: { issuance: second } });
  const settled = (issuanceId: string) =>
    events.deliver(issuer, [{ externalId: 'again', of: issuanceId }], 'issue_failed', async (_trx, _, own) =>
      own.map((event) => ({ ...event, entry: { issuanceId, index: 0 } })),
    );
  await settled(first);
  await settled(second);
  await events.deliver(issuer, [{ tokenId: '8' }], 'transfer_complete');
  const replayed = await follow(log, issuer, { after: '0', filter: { issuance: second } });
  for (const { seen } of [live, replayed])
    await expect.poll(() => seen.map(({ raw }) => raw.of)).toEqual([second, undefined]);
  live.leave();
  replayed.leave();
});

/** A second, independent implementation of filters. */
function allows(filter: EventFilter, row: EventRow): boolean {
  const { types, externalIds, tokenIds, collection, issuance } = filter;
  if (issuance !== undefined) return false;
  if (types && !types.includes(row.type)) return false;
  if (externalIds && !(row.external_id && externalIds.includes(row.external_id))) return false;
  if (tokenIds && !(row.token_id && tokenIds.includes(row.token_id))) return false;
  return !collection || row.collection_address === collection;
}
