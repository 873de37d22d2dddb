import { randomUUID } from 'node:crypto';
import { silent } from '@srr-gateway/common/testing/database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endpointWorker, type WorkerDeps } from '../src/webhooks/worker.ts';
import { type EventStore, eventStore, issuerNumber } from './_util/event-store.ts';

let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

it.each([0, 4])(
  'an endpoint of another configuration that failed %i times rests between two looks for its secrets, and they count on',
  async (failures) => {
    const { db, signals } = store.store;
    const id = randomUUID();
    await db
      .insertInto('webhook_endpoint')
      .values({
        id,
        issuer: issuerNumber(960 + failures),
        url: 'https://partner.example/hook',
        configured: true,
        sealed_secret: null,
        cursor: '0',
        has_more: true,
        attempts: failures,
        next_at: new Date(0),
      })
      .execute();
    const deps = {
      db,
      signals,
      log: silent,
      alone: false,
      config: { maxEndpoints: 1 },
      configured: () => undefined,
    };
    const worker = endpointWorker(deps as unknown as WorkerDeps);
    await worker.start();
    await worker.stop(60_000);
    const { next_at, attempts } = await db
      .selectFrom('webhook_endpoint')
      .select(['next_at', 'attempts'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(next_at?.getTime()).toBeGreaterThan(Date.now() + 20_000);
    expect(attempts).toBe(failures);
  },
);
