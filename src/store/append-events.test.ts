import { randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type EventStore, eventStore, issuerNumber } from '../../test/_util/event-store.ts';
import { parseDelivery } from '../events/parse-delivery.ts';
import { appendEvents, insertEvents, type NewEvent } from './append-events.ts';
import { lockLog } from './lock-log.ts';

/** Another one at each call: a retry of a test finds the events and endpoints of the first run. */
let issuers = 0;
const newIssuer = () => issuerNumber(++issuers);

let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

// The embedded database has one connection, which cannot run two transactions at once.
it.skipIf(process.env.TEST_DATABASE_URL === undefined)(
  'a webhook worker that starts while events are stored waits for their commit',
  async () => {
    const { db } = store.store;
    const [id, issuer] = [randomUUID(), newIssuer()];
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

it('a visible event makes idle webhook endpoints due, but not disabled, failing or other issuers’ ones', async () => {
  const { db, signals } = store.store;
  const issuer = newIssuer();
  const retryAt = new Date(Date.now() + 3_600_000);
  const endpoints = {
    failing: { attempts: 3, next_at: retryAt },
    off: { status: 'DISABLED', next_at: null },
    resting: { next_at: null },
  } as const;
  for (const [name, more] of Object.entries(endpoints))
    await db
      .insertInto('webhook_endpoint')
      .values({ id: randomUUID(), issuer, url: `https://${name}.example`, cursor: '0', ...more })
      .execute();
  const stranger = newIssuer();
  await db
    .insertInto('webhook_endpoint')
    .values({ id: randomUUID(), issuer: stranger, url: 'https://theirs.example', cursor: '0' })
    .execute();
  const wake = vi.fn();
  const end = signals.on('due', 'webhook_endpoint', wake);
  const happen = (more: Partial<NewEvent> = {}) =>
    db.transaction().execute(async (trx) => {
      await lockLog(trx, issuer);
      const body = JSON.stringify({ type: 'issue_failed', externalId: randomUUID() });
      const [event] = parseDelivery(body, { deliveryTypes: {} }) as [NewEvent];
      await insertEvents(trx, issuer, [{ ...event, ...more }]);
    });
  const stored = async () => {
    const rows = db.selectFrom('webhook_endpoint').where('issuer', 'in', [issuer, stranger]).orderBy('url');
    const all = await rows.select(['has_more', 'next_at']).execute();
    return all.map(({ has_more, next_at }) => [has_more, next_at && (next_at < retryAt ? 'now' : 'later')]);
  };
  await happen({ visible: false });
  expect([wake.mock.calls.length, ...(await stored())]).toEqual([
    0,
    [false, 'later'],
    [false, null],
    [false, null],
    [false, null],
  ]);
  await happen();
  expect([wake.mock.calls.length, ...(await stored())]).toEqual([
    1,
    [true, 'later'],
    [false, null],
    [true, 'now'],
    [false, null],
  ]);
  // The worker of a leased endpoint reads the log again without a signal.
  await db.updateTable('webhook_endpoint').set({ lease_owner: 'a worker' }).execute();
  await happen();
  expect(wake).toHaveBeenCalledTimes(1);
  end();
});

it('the same event is stored for each issuer that gets it, and once for each', async () => {
  const events = parseDelivery(JSON.stringify({ type: 'issue_failed', externalId: 'equal' }), {
    deliveryTypes: {},
  });
  const append = (to: Address) =>
    store.store.db.transaction().execute(async (trx) => {
      await lockLog(trx, to);
      return (await appendEvents(trx, to, events)).length;
    });
  const [one, other] = [newIssuer(), newIssuer()];
  expect([await append(one), await append(other), await append(one)]).toEqual([1, 1, 0]);
});
