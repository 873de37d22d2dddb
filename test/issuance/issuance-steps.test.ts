import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { BatchRow, IssuerStepContext } from '../../src/issuance/flow.ts';
import { changeBatch, sendBatch } from '../../src/issuance/submit/send-batch.ts';
import { transition } from '../../src/issuance/transition.ts';
import { LeaseLost } from '../../src/store/due-rows.ts';
import { lockLog } from '../../src/store/lock-log.ts';
import type { IssuanceStatus } from '../../src/store/tables.ts';
import { type EventStore, eventStore, issuerNumber } from '../_util/event-store.ts';
import { startIssuance } from '../_util/outcome-model/issuance.ts';
import type { Fate } from '../_util/outcome-model/service.ts';
import { storeIssuance } from '../_util/stored-issuance.ts';

let store: EventStore;
let nextIssuer = 500;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const world = (count: number, fates: Fate[], says?: string) => startIssuance(store, count, fates, says);

// PGlite has one connection, so no other transaction can hold a lock while a step runs.
it.runIf(process.env.TEST_DATABASE_URL)('a step settles nothing while the log is locked', async () => {
  const { world: one, issuer } = await world(1, []);
  await one.work();
  await one.hourPasses();
  await store.store.db.transaction().execute(async (trx) => {
    await lockLog(trx, issuer);
    await one.work();
  });
  expect((await one.row()).status).toBe('WAITING_FOR_MINING');
});

/** An issuance with a lease of 'the worker', and its batch as an earlier step has read it. */
async function stepOf(owner: string, status: BatchRow['status']) {
  const { db } = store.store;
  const issuer = issuerNumber(nextIssuer++);
  const id = await storeIssuance(db, issuer, {
    issuance: { status: 'SUBMITTING', lease_owner: 'the worker', lease_until: new Date(Date.now() + 60_000) },
    batch: { status },
    entries: [{ external_id: 'one', status: 'PENDING' }],
  });
  const stored = () =>
    db.selectFrom('issuance_batch').selectAll().where('issuance_id', '=', id).executeTakeFirstOrThrow();
  const issue = vi.fn();
  const context = { deps: { db, commerce: { issue } }, issuance: { id, issuer }, owner };
  const batch: BatchRow = { ...(await stored()), status: 'PENDING' };
  return { context: context as unknown as IssuerStepContext, batch, issue, stored };
}

it('a worker sends nothing once another worker has the lease of the issuance', async () => {
  const { context, batch, issue, stored } = await stepOf('a former worker', 'PENDING');
  await expect(sendBatch(context, batch)).rejects.toThrow(LeaseLost);
  expect(issue).not.toHaveBeenCalled();
  expect(await stored()).toMatchObject({ status: 'PENDING', sent: 0 });
});

it('a batch that a delivery has proved accepted stays accepted', async () => {
  const { context, batch, stored } = await stepOf('the worker', 'ACCEPTED');
  await changeBatch(context, batch, { status: 'UNKNOWN' });
  expect(await stored()).toMatchObject({ status: 'ACCEPTED' });
});

it('an issuance loses its key when accepted and when it ends, after which it cannot change', async () => {
  const { db } = store.store;
  const id = await storeIssuance(db, issuerNumber(nextIssuer++), {
    issuance: {
      status: 'SUBMITTING',
      sealed_key: Buffer.from('sealed'),
      next_at: new Date(),
      lease_owner: 'a worker',
    },
    batch: { status: 'ACCEPTED' },
    entries: [{ external_id: 'one', status: 'ISSUED' }],
  });
  const stored = () => db.selectFrom('issuance').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const move = async (status: IssuanceStatus) => transition(db, await stored(), status, 'the test moves it');
  await move('WAITING_FOR_MINING');
  expect(await stored()).toMatchObject({ status: 'WAITING_FOR_MINING', sealed_key: null });
  await db
    .updateTable('issuance')
    .set({ sealed_key: Buffer.from('of an older release') })
    .where('id', '=', id)
    .execute();
  await move('COMPLETED');
  const ended = await stored();
  expect(ended).toMatchObject({ status: 'COMPLETED', sealed_key: null, next_at: null, lease_owner: null });
  await move('SUBMITTING');
  expect(await stored()).toEqual(ended);
});

it('a signal is sent when an issuance changes its status or a record gets its outcome', async () => {
  const { world: one, service, first } = await world(2, []);
  const wake = vi.fn();
  const end = store.store.signals.on('issuance', one.id, wake);
  await one.work();
  expect([(await one.row()).status, wake.mock.calls.length]).toEqual(['WAITING_FOR_MINING', 1]);
  service.mint(0);
  await one.deliver({ type: 'issue_complete', data: [{ externalId: first }] });
  expect([(await one.row()).status, wake.mock.calls.length]).toEqual(['WAITING_FOR_MINING', 2]);
  end();
});
