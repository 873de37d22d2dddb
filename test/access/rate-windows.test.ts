import { testDatabase } from '@srr-gateway/common/testing/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { RateLimiter } from '../../src/access/rate-limiter.ts';
import { type Db, openTables } from '../../src/store/store.ts';
import { capturedLog } from '../_util/captured-log.ts';

let db: Db;
let drop: () => Promise<void>;
let now: number;
beforeAll(async () => {
  const test = await testDatabase();
  db = await openTables(test.database);
  drop = () => test.drop();
});
afterAll(() => drop?.());
beforeEach(async () => {
  await db.deleteFrom('rate_window').execute();
  // The clock of the store decides which windows are over, so `now` is close to it.
  now = Date.now() - (Date.now() % 60_000);
});

const replica = (limit = 100) => new RateLimiter(db, limit, () => now);
const take = (windows: RateLimiter, times: number, caller = 'caller') => {
  let last = windows.consume(caller);
  for (let n = 1; n < times; n++) last = windows.consume(caller);
  return last;
};
const stored = async () => (await db.selectFrom('rate_window').selectAll().execute()).length;

it('replicas add up the requests that one caller sends to each of them', async () => {
  const [one, two] = [replica(), replica()];
  expect(take(one, 60)).toMatchObject({ refusal: undefined, remaining: 40 });
  expect(take(two, 30)).toMatchObject({ refusal: undefined, remaining: 70 });
  await one.exchange();
  await two.exchange();
  expect(two.consume('caller')).toMatchObject({ refusal: undefined, remaining: 9 });
  expect(take(two, 9)).toMatchObject({ refusal: undefined, remaining: 0 });
  for (let n = 0; n < 2; n++)
    expect(two.consume('caller')).toMatchObject({
      refusal: expect.stringContaining('(RATE_LIMIT)'),
      remaining: 0,
    });
  expect(two.consume('another').refusal).toBeUndefined();
});

it('an operation may cost all that is left, and nothing more', () => {
  const one = replica();
  expect(one.charge('caller', 40)).toMatchObject({ refusal: undefined, remaining: 60 });
  expect(one.charge('caller', 61).refusal).toContain('60 of 100 in a minute are left (COST_LIMIT)');
  expect(one.charge('caller', 60)).toMatchObject({ refusal: undefined, remaining: 0 });
});

it('requests are counted while counts are exchanged', async () => {
  const one = replica();
  take(one, 50);
  const exchanging = one.exchange();
  take(one, 20);
  await exchanging;
  expect(one.consume('caller').remaining).toBe(29);
});

it('a new minute has a new budget, and old minutes are deleted from the store', async () => {
  const one = replica();
  await db
    .insertInto('rate_window')
    .values({ caller: 'caller', starts_at: new Date(now - 180_000), requests: 7 })
    .execute();
  take(one, 101);
  await one.exchange();
  expect(await stored()).toBe(1);
  now += 60_000;
  expect(one.consume('caller')).toMatchObject({ refusal: undefined, remaining: 99, resetsIn: 60 });
});

it('a replica whose clock is wrong by an hour or two disturbs no other windows, and still limits', async () => {
  const one = replica();
  take(one, 50);
  await one.exchange();
  now += 3_600_000;
  const ahead = replica();
  take(ahead, 50);
  await ahead.exchange();
  expect(await stored()).toBe(2);
  now -= 7_200_000;
  const behind = replica();
  for (let second = 0; second < 2; second++) {
    take(behind, 50);
    await behind.exchange();
  }
  expect(behind.consume('caller').refusal).toContain('(RATE_LIMIT)');
});

it('callers with few requests are not written to the store', async () => {
  const one = replica();
  for (let n = 0; n < 1_000; n++) one.consume(`caller-${n}`);
  await one.exchange();
  expect(await stored()).toBe(0);
});

it('the counts of 25,000 busy callers are exchanged completely', async () => {
  const [one, two] = [replica(20), replica(20)];
  for (let n = 0; n < 25_000; n++) one.consume(`caller-${n}`);
  await one.exchange();
  expect(await stored()).toBe(25_000);
  two.consume('caller-0');
  two.consume('caller-24999');
  await two.exchange();
  expect(two.consume('caller-0').remaining).toBe(17);
  expect(two.consume('caller-24999').remaining).toBe(17);
});

it.runIf(process.env.TEST_DATABASE_URL)(
  'replicas that have the same busy callers do not deadlock',
  async () => {
    const [one, two] = [replica(1), replica(1)];
    const callers = Array.from({ length: 5_000 }, (_, n) => `caller-${n}`);
    for (const caller of callers) one.consume(caller);
    for (const caller of callers.toReversed()) two.consume(caller);
    expect(await Promise.all([one.exchange(), two.exchange()])).toEqual([true, true]);
  },
);

it('an outage of the database is logged once, and so is its end', async () => {
  const { log, lines } = capturedLog();
  const warnings = () => lines().filter(({ level }) => Number(level) >= 30);
  const one = replica();
  take(one, 60);
  await sql`alter table gateway.rate_window rename to away`.execute(db);
  const { stop } = one.start(log);
  onTestFinished(stop);
  try {
    await expect.poll(() => lines().length, { timeout: 10_000 }).toBeGreaterThanOrEqual(2);
  } finally {
    await sql`alter table gateway.away rename to rate_window`.execute(db);
  }
  const outageWarning = { level: 40, msg: 'exchanging request counts failed; they stay local' };
  expect(warnings()).toMatchObject([outageWarning]);
  await expect.poll(warnings, { timeout: 10_000 }).toMatchObject([outageWarning, { msg: 'it works again' }]);
});
