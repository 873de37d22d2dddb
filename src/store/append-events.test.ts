import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EventStore, eventStore, issuerNumber } from '../../test/_util/event-store.ts';
import { parseDelivery } from '../events/parse-delivery.ts';
import { insertEvents } from './append-events.ts';
import { lockLog } from './lock-log.ts';

const issuer = issuerNumber(1);
let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

// The embedded database has one connection, so no two transactions at once.
it.skipIf(process.env.TEST_DATABASE_URL === undefined)(
  'a webhook worker that begins while events are being stored waits for them',
  async () => {
    const { db } = store.store;
    const id = randomUUID();
    await db
      .insertInto('webhook_endpoint')
      .values({ id, issuer, url: 'https://partner.example', cursor: '0', has_more: true })
      .execute();
    const beginWorker = () =>
      db.transaction().execute(async (trx) => {
        await sql`set local lock_timeout = '50ms'`.execute(trx);
        await trx.updateTable('webhook_endpoint').set({ has_more: false }).where('id', '=', id).execute();
      });
    await db.transaction().execute(async (trx) => {
      await lockLog(trx, issuer);
      await insertEvents(
        trx,
        issuer,
        parseDelivery(JSON.stringify({ type: 'issue_failed', data: [{ externalId: 'a' }] }), {
          deliveryTypes: {},
        }),
      );
      await expect(beginWorker()).rejects.toMatchObject({ code: '55P03' });
    });
    await beginWorker();
  },
);
