import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Address } from '@srr-gateway/common/address';
import { silent } from '@srr-gateway/common/testing/database';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  claimDue,
  type DueTable,
  LeaseLost,
  lockLeased,
  readLeased,
  releaseLease,
  renewLease,
} from '../../src/store/due-rows.ts';
import { type Leased, RowWorker, type StepResult } from '../../src/store/row-worker.ts';
import { Signals } from '../../src/store/signals.ts';
import type { Db } from '../../src/store/store.ts';
import { capturedLog } from '../_util/captured-log.ts';
import { type EventStore, eventStore, issuerNumber } from '../_util/event-store.ts';

let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const hour = 3_600_000;
const [a, b, c] = [1, 2, 3].map(issuerNumber) as [Address, Address, Address];

describe.each(['issuance', 'collection_creation'] as const)('due rows of %s', (table) => {
  let db: Db;
  /** The running steps, by the id of their row. */
  let steps: Map<string, Leased<DueTable> & PromiseWithResolvers<StepResult>>;
  let workers: RowWorker<DueTable>[];

  beforeEach(() => {
    ({ db } = store.store);
    steps = new Map();
    workers = [];
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop(0)));
    await sql`truncate gateway.issuance, gateway.collection_creation cascade`.execute(db);
  });

  /** Adds rows that become due in `afterMs` and returns their ids. */
  async function add(issuer: Address, count = 1, afterMs = -hour): Promise<string[]> {
    const columns = table === 'issuance' ? sql`batching` : sql`symbol, name`;
    const values = table === 'issuance' ? sql`'x'` : sql`'x', 'x'`;
    const { rows } = await sql<{ id: string }>`
      insert into ${sql.table(`gateway.${table}`)} (id, issuer, request_id, fingerprint, status, next_at, ${columns})
      select gen_random_uuid(), ${issuer}, gen_random_uuid()::text, 'x', 'PENDING',
        clock_timestamp() + make_interval(secs => ${afterMs / 1000}), ${values}
      from generate_series(1, ${count}::int) returning id`.execute(db);
    await Signals.send(db, 'due', table);
    return rows.map(({ id }) => id);
  }

  /** Starts a worker. Without `step`, the test ends its steps. */
  async function work(
    {
      concurrency = 8,
      perIssuer = 8,
      on = db,
      signals = store.store.signals as Pick<Signals, 'on'>,
      log = silent,
      alone = false,
    } = {},
    step?: (leased: Leased<DueTable>) => Promise<StepResult>,
  ): Promise<RowWorker<DueTable>> {
    const held = (leased: Leased<DueTable>) => {
      const ended = { ...leased, ...Promise.withResolvers<StepResult>() };
      steps.set(leased.row.id, ended);
      leased.signal.addEventListener('abort', () => ended.reject(leased.signal.reason));
      return ended.promise.finally(() => steps.delete(leased.row.id));
    };
    const worker = new RowWorker<DueTable>({
      db: on,
      signals,
      log,
      table,
      alone,
      concurrency,
      perIssuer,
      step: step ?? held,
      context: () => ({}),
      checkpoint: () => {},
    });
    workers.push(worker);
    await worker.start();
    return worker;
  }

  const busy = () => [...steps.values()].map(({ row }) => row.issuer).toSorted();
  const stored = async (id: string) =>
    db
      .selectFrom(table as 'issuance')
      .select(['next_at', 'attempts', 'lease_owner', 'lease_until'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();

  it('that become due during a claim are found by the next claim', async () => {
    for (let n = 0; n < 50; n++) {
      await add(a, 1, 5);
      for (let claim = await claimDue(db, table, randomUUID(), {}, 8); !claim.row; ) {
        // 0 without a row would mean that another worker holds the row; then this worker would pause.
        expect(claim.dueMs).toBeGreaterThan(0);
        claim = await claimDue(db, table, randomUUID(), {}, 8);
      }
    }
  });

  it('are claimed in the order in which they became due, also those of several issuers', async () => {
    const due = [8, 6, 4, 2].map((hours) => -hours * hour);
    const ids: string[] = [];
    for (const afterMs of due.toReversed()) {
      ids.unshift(...(await add(b, 1, afterMs - hour)), ...(await add(a, 1, afterMs)));
      await add(b, 1, hour);
    }
    const claimed: (string | undefined)[] = [];
    const held: Record<string, number> = {};
    for (const _ of ids) {
      const { row } = await claimDue(db, table, randomUUID(), held, 8);
      claimed.push(row?.id);
      if (row) held[row.issuer] = (held[row.issuer] ?? 0) + 1;
    }
    expect(claimed).toEqual(ids);
  });

  it('that the next claim cannot get do not hasten it', async () => {
    const claim = async (held: Record<string, number>, perIssuer: number) => {
      const { row, dueMs } = await claimDue(db, table, randomUUID(), held, perIssuer);
      return [row?.issuer, dueMs && Math.ceil(dueMs / hour)];
    };
    await add(a, 2);
    await add(b, 1, hour);
    // Not the other row of an issuer that is at its limit with this one, or was before, nor the claimed row itself.
    expect(await claim({ [b]: 1 }, 1)).toEqual([a, undefined]);
    expect(await claim({ [a]: 1 }, 1)).toEqual([undefined, 1]);
    expect(await claim({}, 2)).toEqual([a, 1]);
    // Leased rows do not count either.
    expect(await claim({}, 2)).toEqual([undefined, 1]);
  });

  it('are worked on up to the concurrency, and the next one when a step ends', async () => {
    await work({ concurrency: 2 });
    const ids = await add(a, 3);
    await expect.poll(() => steps.size).toBe(2);
    const [first] = steps.values();
    first?.resolve('final');
    await expect.poll(() => steps.size === 2 && !steps.has(first?.row.id as string)).toBe(true);
    expect(ids).toEqual(expect.arrayContaining([...steps.keys()]));
    expect(await stored(first?.row.id as string)).toMatchObject({
      next_at: null,
      lease_owner: null,
      attempts: 0,
    });
  });

  it('of an issuer at its limit start as soon as a step of this issuer ends', async () => {
    await work({ perIssuer: 1 });
    const [one, other] = (await add(a, 2)) as [string, string];
    await expect.poll(() => steps.size).toBe(1);
    const first = steps.get(one) ?? steps.get(other);
    const endedAt = performance.now();
    first?.resolve('final');
    await expect.poll(() => steps.size === 1 && !steps.has(first?.row.id as string)).toBe(true);
    // Polling alone would take up to two seconds.
    expect(performance.now() - endedAt).toBeLessThan(1_000);
  });

  it('of an issuer with ten thousand of them do not delay those of other issuers', async () => {
    await add(a, 10_000);
    await work({ concurrency: 4, perIssuer: 3 });
    expect(busy()).toEqual([a, a, a]);
    await add(b, 1, 0);
    await expect.poll(busy).toEqual([a, a, a, b]);
    // The issuer with the fewest running steps is next, although ten thousand rows have been due for longer.
    await add(c, 1, 0);
    const [first] = steps.values();
    first?.resolve('final');
    await expect.poll(busy).toEqual([a, a, b, c]);
  });

  it('that cannot be claimed cause one warning for the whole outage, and one line when it ends', async () => {
    const { log, lines } = capturedLog();
    const logged = () => lines().filter(({ level }) => Number(level) >= 30);
    await sql`alter table ${sql.table(`gateway.${table}`)} rename to away`.execute(db);
    try {
      await work({ log });
      for (const looks of [2, 3]) {
        await Signals.send(db, 'due', table);
        await expect.poll(() => lines().length).toBeGreaterThanOrEqual(looks);
      }
    } finally {
      await sql`alter table gateway.away rename to ${sql.id(table)}`.execute(db);
    }
    expect(logged()).toMatchObject([{ level: 40, table, msg: 'polling for due work failed' }]);
    await Signals.send(db, 'due', table);
    await expect.poll(logged).toMatchObject([{ level: 40 }, { level: 30, table, msg: 'it works again' }]);
  });

  it('start within milliseconds of their signal', async () => {
    const waits: number[] = [];
    const begun = new Map<string, number>();
    await work({}, async ({ row }) => {
      begun.set(row.id, performance.now());
      return 'final';
    });
    for (let i = 0; i < 25; i += 1) {
      const [id] = (await add(a)) as [string];
      const added = performance.now();
      await expect.poll(() => begun.has(id), { interval: 5 }).toBe(true);
      waits.push((begun.get(id) as number) - added);
    }
    // Polling alone would take half a second.
    expect(waits.toSorted((x, y) => x - y)[12]).toBeLessThan(100);
  });

  it('start without a signal when they become due, and not earlier', async () => {
    const late: number[] = [];
    const took = Promise.withResolvers<void>();
    await work({}, async ({ row }) => {
      late.push(Date.now() - (row.next_at as Date).getTime());
      if (late.length < 15) return { afterMs: 200 };
      took.resolve();
      return 'final';
    });
    await add(a);
    await took.promise;
    const byTimer = late.slice(1).toSorted((x, y) => x - y);
    expect(byTimer[0]).toBeGreaterThanOrEqual(-1);
    expect(byTimer[7]).toBeLessThan(100);
  });

  it('take one statement each and one more for an empty claim, despite many wake-ups', async () => {
    let statements = 0;
    const on = db.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    let wake = () => {};
    const signals: Pick<Signals, 'on'> = {
      on: (_topic, _key, listener) => {
        wake = listener;
        return () => {};
      },
    };
    await work({ on, signals });
    await add(a, 2);
    statements = 0;
    const from = performance.now();
    for (let i = 0; i < 100; i += 1) wake();
    await expect.poll(() => steps.size).toBe(2);
    await expect.poll(() => statements).toBeGreaterThanOrEqual(2);
    // Two statements claim the rows, and one finds nothing; on a slow machine the worker may also poll.
    expect(statements).toBeLessThanOrEqual(3 + Math.ceil((performance.now() - from) / 1_000));
  });

  it('whose step fails are due again after a pause that grows, and do not delay other rows', async () => {
    const [id] = (await add(a)) as [string];
    await db
      .updateTable(table as 'issuance')
      .set({ attempts: 4 })
      .execute();
    await work({ concurrency: 1 });
    await expect.poll(() => steps.size).toBe(1);
    steps.get(id)?.reject(new Error('a fault'));
    await add(b);
    await expect.poll(busy).toEqual([b]);
    const { next_at, attempts, lease_owner } = await stored(id);
    expect({ attempts, lease_owner }).toEqual({ attempts: 5, lease_owner: null });
    expect(next_at?.getTime()).toBeGreaterThan(Date.now() + 10_000);
  });

  it('whose step ends leave no timer that renews a lease', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const [id] = (await add(a)) as [string];
    await work();
    await expect.poll(() => [steps.size, vi.getTimerCount()]).toEqual([1, 1]);
    steps.get(id)?.resolve('final');
    await expect.poll(() => [steps.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('whose next step is due at once are given back by a worker that stops', async () => {
    const [id] = (await add(a)) as [string];
    let begun = 0;
    const worker = await work({}, async () => {
      begun++;
      await setImmediate();
      return 'again';
    });
    await expect.poll(() => begun).toBeGreaterThan(2);
    await worker.stop(0);
    expect((await stored(id)).lease_owner).toBeNull();
  });

  it('whose step finds that its lease is lost are left without a warning', async () => {
    const { log, lines } = capturedLog();
    const [id] = (await add(a)) as [string];
    const ended = Promise.withResolvers<void>();
    await work({ log }, async () => {
      queueMicrotask(() => ended.resolve());
      throw new LeaseLost();
    });
    await ended.promise;
    expect((await stored(id)).attempts).toBe(0);
    expect(lines()).toEqual([]);
  });

  it('are claimed by only one of several concurrent workers', async () => {
    const taken: string[] = [];
    const step = async ({ row }: Leased<DueTable>): Promise<StepResult> => {
      taken.push(row.id);
      return 'final';
    };
    const ids = await add(a, 100);
    await Promise.all([1, 2, 3].map(() => work({}, step)));
    await expect.poll(() => taken.length).toBeGreaterThanOrEqual(100);
    expect(taken.toSorted()).toEqual(ids.toSorted());
  });

  it('of a dead worker are claimed by another when the lease has expired, and not earlier', async () => {
    const [id] = (await add(a)) as [string];
    expect(await claimDue(db, table, 'the dead', {}, 1)).toMatchObject({ row: { id } });
    expect(await claimDue(db, table, 'another', {}, 1)).toMatchObject({ row: undefined });
    await sql`update ${sql.table(`gateway.${table}`)} set lease_until = clock_timestamp() + interval '1 s'`.execute(
      db,
    );
    await work();
    expect(steps.size).toBe(0);
    await expect.poll(() => steps.size).toBe(1);
    expect((await stored(id)).lease_owner).not.toBe('the dead');
  });

  it('of a dead process are claimed at once by a process that is alone', async () => {
    const [id] = (await add(a)) as [string];
    await claimDue(db, table, 'the dead', {}, 1);
    await work({ alone: true });
    expect([...steps.keys()]).toEqual([id]);
  });

  it('are worked on further when a renewal of their lease fails', async () => {
    const [id] = (await add(a)) as [string];
    let failed = 0;
    const on = db.withPlugin({
      transformQuery: ({ node }) => {
        if (node.kind !== 'UpdateQueryNode' || failed > 0) return node;
        failed++;
        throw new Error('no connection');
      },
      transformResult: async ({ result }) => result,
    });
    await work({ on });
    const { lease_until: before } = await stored(id);
    await expect.poll(async () => (await stored(id)).lease_until).not.toEqual(before);
    expect([failed, steps.get(id)?.signal.aborted]).toEqual([1, false]);
  });

  it('keep their lease while a step runs, and a step that has lost its lease is aborted', async () => {
    const { log, lines } = capturedLog();
    const [id] = (await add(a)) as [string];
    // Like a call of the service, which is aborted with an error of its own.
    const step = ({ signal }: Leased<DueTable>) =>
      new Promise<StepResult>((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('aborted'));
        });
      });
    let aborted = false;
    await work({ log }, step);
    await expect.poll(async () => (await stored(id)).lease_owner).not.toBeNull();
    const { lease_until: before } = await stored(id);
    await expect.poll(async () => (await stored(id)).lease_until).not.toEqual(before);
    const another = randomUUID();
    await db
      .updateTable(table as 'issuance')
      .set({ lease_owner: another, lease_until: new Date(Date.now() + hour) })
      .execute();
    await expect.poll(() => aborted).toBe(true);
    expect(await stored(id)).toMatchObject({ lease_owner: another, attempts: 0 });
    expect(lines()).toEqual([]);
  });

  it('cannot be changed by a worker that has lost the lease', async () => {
    const [id] = (await add(a)) as [string];
    await claimDue(db, table, 'the present', {}, 1);
    const before = await stored(id);
    expect(await renewLease(db, table, id, 'the former')).toBe(false);
    expect(await readLeased(db, table, id, 'the former')).toBeUndefined();
    expect(await releaseLease(db, table, { id, owner: 'the former' }, {})).toBeUndefined();
    await expect(lockLeased(db, table, { id, issuer: a }, 'the former')).rejects.toThrow(LeaseLost);
    expect(await stored(id)).toEqual(before);
  });

  it('are not started by a worker that stops, which waits for its running steps', async () => {
    const [id] = (await add(a)) as [string];
    const worker = await work({ concurrency: 1 });
    await expect.poll(() => steps.size).toBe(1);
    const stopped = worker.stop(hour);
    const [left] = (await add(b)) as [string];
    steps.get(id)?.resolve('final');
    await stopped;
    expect(steps.size).toBe(0);
    expect(await stored(left)).toMatchObject({ lease_owner: null, next_at: expect.any(Date) });
  });

  it('are not claimed any more once their worker stops', async () => {
    let begun = 0;
    const worker: RowWorker<DueTable> = await work({}, async () => {
      begun++;
      void worker.stop(hour);
      return 'final';
    });
    await add(a, 8);
    await expect.poll(() => begun).toBe(1);
    await worker.stop(hour);
    expect(begun).toBe(1);
  });

  it('whose step is aborted by a stop are claimed by another worker at once', async () => {
    const [id] = (await add(a)) as [string];
    await db
      .updateTable(table as 'issuance')
      .set({ attempts: 2 })
      .execute();
    const worker = await work();
    await expect.poll(() => steps.size).toBe(1);
    const first = (await stored(id)).lease_owner;
    const step = steps.get(id);
    await work();
    const wake = vi.fn();
    const end = store.store.signals.on('due', table, wake);
    await worker.stop(0);
    end();
    expect([step?.signal.aborted, wake.mock.calls.length]).toEqual([true, 1]);
    await expect.poll(() => steps.has(id)).toBe(true);
    expect((await stored(id)).lease_owner).not.toBe(first);
    expect((await stored(id)).attempts).toBe(2);
  });
});
