import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventStore, eventStore, issuerNumber } from '../../test/_util/event-store.ts';
import { appendDeliveries } from './append-deliveries.ts';
import { type Append, DeliveryGroups } from './delivery-groups.ts';
import { parseDelivery } from './parse-delivery.ts';

let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const delivery = (...externalIds: string[]) =>
  parseDelivery(
    JSON.stringify({ type: 'issue_failed', data: externalIds.map((externalId) => ({ externalId })) }),
    { deliveryTypes: {} },
  );
const fresh = (count: number) => delivery(...Array.from({ length: count }, () => randomUUID()));

/** Groups that append to the real store; `sizes` has the number of deliveries in each transaction. */
function groups(onEvent = (externalId: string | null) => void externalId) {
  const sizes: number[] = [];
  const append: Append = (issuer, deliveries) => {
    sizes.push(deliveries.length);
    return appendDeliveries(store.store.db, issuer, deliveries, async (_trx, _issuer, events) => {
      for (const { externalId } of events) onEvent(externalId);
      return events;
    });
  };
  return { sizes, groups: new DeliveryGroups(append) };
}

/** Another one at each call: a retry of a test finds the events of the first run. */
let issuers = 0;
const newIssuer = () => issuerNumber(++issuers);

const logOf = async (issuer: string) => {
  const rows = await store.store.db
    .selectFrom('event')
    .select('external_id')
    .where('issuer', '=', issuer as never)
    .orderBy('cursor')
    .execute();
  return rows.map(({ external_id }) => external_id);
};

describe('deliveries that arrive together', () => {
  it('are committed in two transactions: first one delivery, then all others in their order', async () => {
    const { groups: deliveryGroups, sizes } = groups();
    const issuer = newIssuer();
    const names = Array.from({ length: 100 }, (_, i) => `together-${i}`);
    const stored = await Promise.all(names.map((name) => deliveryGroups.store(issuer, delivery(name))));
    expect(sizes).toEqual([1, 99]);
    expect(stored).toEqual(names.map(() => ({ stored: 1, repeated: 0 })));
    expect(await logOf(issuer)).toEqual(names);
  });

  it('are committed in groups of 500 events at most, and a larger delivery by itself', async () => {
    const { groups: deliveryGroups, sizes } = groups();
    const issuer = newIssuer();
    const events = [1, 250, 250, 1, 501, 499, 1];
    await Promise.all(events.map((count) => deliveryGroups.store(issuer, fresh(count))));
    expect(sizes).toEqual([1, 2, 1, 1, 2]);
  });

  it('stay one group when each sender waits for the response before it sends the next', async () => {
    const { groups: deliveryGroups, sizes } = groups();
    const issuer = newIssuer();
    const sender = async () => {
      for (let i = 0; i < 3; i++) {
        await deliveryGroups.store(issuer, fresh(1));
        // The response goes out, and the next delivery comes in, in a later turn of the event loop.
        await setImmediate();
      }
    };
    await Promise.all(Array.from({ length: 10 }, sender));
    expect(sizes).toEqual([1, 9, 10, 10]);
  });

  it('report how many of their events are new, with equal events counted once', async () => {
    const { groups: deliveryGroups } = groups();
    const issuer = newIssuer();
    const stored = await Promise.all(
      [delivery('a'), delivery('b', 'c'), delivery('c', 'd', 'd'), delivery('a')].map((one) =>
        deliveryGroups.store(issuer, one),
      ),
    );
    expect(stored).toEqual([
      { stored: 1, repeated: 0 },
      { stored: 2, repeated: 0 },
      { stored: 1, repeated: 2 },
      { stored: 0, repeated: 1 },
    ]);
    expect(await logOf(issuer)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are stored, except for one that cannot be stored', async () => {
    const bad = 'cannot be stored';
    const { groups: deliveryGroups } = groups((externalId) => {
      if (externalId === bad) throw new Error(bad);
    });
    const issuer = newIssuer();
    const names = Array.from({ length: 32 }, (_, i) => (i === 20 ? bad : `beside-${i}`));
    const results = await Promise.allSettled(
      names.map((name) => deliveryGroups.store(issuer, delivery(name))),
    );
    expect(results.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))).toEqual([20]);
    expect(await logOf(issuer)).toEqual(names.filter((name) => name !== bad));
  });

  it('are all refused at once when the database is unavailable', async () => {
    let attempts = 0;
    const issuer = newIssuer();
    const deliveryGroups = new DeliveryGroups(async () => {
      attempts++;
      throw Object.assign(new Error('the server is gone'), { code: '57P01' });
    });
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => deliveryGroups.store(issuer, fresh(1))),
    );
    expect(results.map(({ status }) => status)).toEqual(Array(50).fill('rejected'));
    expect(attempts).toBe(2);
  });

  it('for many issuers use at most three connections', async () => {
    let open = 0;
    let most = 0;
    const deliveryGroups = new DeliveryGroups(async (issuer, deliveries) => {
      most = Math.max(most, ++open);
      const stored = await appendDeliveries(
        store.store.db,
        issuer,
        deliveries,
        async (_, __, events) => events,
      );
      open--;
      return stored;
    });
    await Promise.all(Array.from({ length: 12 }, () => deliveryGroups.store(newIssuer(), fresh(2))));
    expect(most).toBe(3);
  });

  it('are refused with Retry-After when too many wait, and accepted again later', async () => {
    const { groups: deliveryGroups } = groups();
    const issuer = newIssuer();
    const large = deliveryGroups.store(issuer, fresh(5_000));
    await expect(async () => deliveryGroups.store(issuer, fresh(1))).rejects.toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
    });
    expect(await large).toEqual({ stored: 5_000, repeated: 0 });
    expect(await deliveryGroups.store(issuer, fresh(1))).toEqual({ stored: 1, repeated: 0 });
  });
});
