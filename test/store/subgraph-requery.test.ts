import { randomUUID } from 'node:crypto';
import { silent } from '@srr-gateway/common/testing/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { applyDeliveries } from '../../src/issuance/apply-deliveries.ts';
import type { FlowDeps } from '../../src/issuance/flow.ts';
import { issuanceWorker } from '../../src/issuance/worker.ts';
import { type EventStore, eventStore, issuerNumber } from '../_util/event-store.ts';

const issuer = issuerNumber(1);
let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

it('the subgraph is queried again at once when a delivery requests that during a query', async () => {
  const { db, signals } = store.store;
  // A retry finds the issuance of the first run.
  await db.deleteFrom('issuance').execute();
  const id = randomUUID();
  const externalId = `hinted ${id}`;
  await sql`
    with issuance as (
      insert into gateway.issuance (id, issuer, request_id, fingerprint, status, next_at, batching, entry_count)
      values (${id}, ${issuer}, ${id}, 'x', 'WAITING_FOR_MINING', clock_timestamp(), 'CHUNKED', 1)
    ), batch as (
      insert into gateway.issuance_batch (issuance_id, index, status, request_id, sent, first_sent_at)
      values (${id}, 0, 'ACCEPTED', ${id}, 1, clock_timestamp())
    )
    insert into gateway.issuance_entry (issuance_id, index, batch, issuer, external_id, status, payload, token_id)
    values (${id}, 0, 0, ${issuer}, ${externalId}, 'WAITING_FOR_MINING', '{}', '7')`.execute(db);
  const queriedAt: number[] = [];
  const worker = issuanceWorker({
    db,
    signals,
    log: silent,
    alone: false,
    timeouts: { reconcileAfter: 0, failureWatch: 1_000 },
    mintedOf: async () => {
      queriedAt.push(performance.now());
      if (queriedAt.length === 1)
        await store.deliver(issuer, [{ externalId }], 'what_is_this', applyDeliveries(1_000));
      return { block: 1, minted: [] };
    },
  } as unknown as FlowDeps);
  onTestFinished(() => worker.stop(0));
  await worker.start();
  await expect.poll(() => queriedAt.length, { timeout: 20_000 }).toBe(2);
  const [first, second] = queriedAt as [number, number];
  expect(second - first).toBeLessThan(5_000);
});
