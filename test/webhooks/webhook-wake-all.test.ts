import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertEvents, type NewEvent } from '../../src/store/append-events.ts';
import { lockLog } from '../../src/store/lock-log.ts';
import { wakeAll } from '../../src/webhooks/endpoints.ts';
import { type EventStore, eventStore, issuerNumber } from '../_util/event-store.ts';

const issuer = issuerNumber(970);
const event: NewEvent = {
  type: 'SRR_FAILED',
  kind: 'issue_failed',
  source: 'WEBHOOK',
  dedupe: 'one event',
  externalId: null,
  tokenId: null,
  collection: null,
  message: null,
  raw: {},
};
let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const endpoints = () =>
  store.store.db.selectFrom('webhook_endpoint').select(['url', 'has_more']).orderBy('url').execute();

/** The number of database sessions that wait for a lock. PGlite has only one session. */
async function waiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(store.store.db);
  return rows[0]?.count ?? 0;
}

it.runIf(process.env.TEST_DATABASE_URL)(
  'waking all endpoints while an event is stored does not deadlock',
  async () => {
    const { db } = store.store;
    // wakeAll reads the rows in the order of insertion, and storing events reads them ordered by address.
    for (const url of ['https://partner.example/2', 'https://partner.example/1'])
      await db
        .insertInto('webhook_endpoint')
        .values({ id: randomUUID(), issuer, url, configured: true, sealed_secret: null, cursor: '0' })
        .execute();
    const stored = await db.transaction().execute(async (holder) => {
      await holder
        .selectFrom('webhook_endpoint')
        .select('id')
        .where('url', 'like', '%/2')
        .forUpdate()
        .execute();
      const woken = wakeAll(db).catch((error: unknown) => error);
      await expect.poll(async () => (await waiting()) > 0 || (await endpoints())[0]?.has_more).toBe(true);
      const before = await waiting();
      const delivered = db
        .transaction()
        .execute(async (trx) => {
          // Force the index: for so few rows the planner would read them in the order of insertion.
          await sql`set local enable_seqscan = off`.execute(trx);
          await sql`set local enable_bitmapscan = off`.execute(trx);
          await lockLog(trx, issuer);
          await insertEvents(trx, issuer, [event]);
        })
        .catch((error: unknown) => error);
      await expect.poll(waiting).toBe(before + 1);
      return { woken, delivered };
    });
    expect(await Promise.all([stored.woken, stored.delivered])).toEqual([undefined, undefined]);
    expect(await endpoints()).toMatchObject([{ has_more: true }, { has_more: true }]);
  },
);
