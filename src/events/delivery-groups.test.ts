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

/** Appends to the real store; `sizes` has the deliveries of each transaction. */
function groups(judge = (externalId: string | null) => void externalId) {
  const sizes: number[] = [];
  const append: Append = (issuer, deliveries) => {
    sizes.push(deliveries.length);
    return appendDeliveries(store.store.db, issuer, deliveries, async (_trx, _issuer, events) => {
      for (const { externalId } of events) judge(externalId);
      return events;
    });
  };
  return { sizes, groups: new DeliveryGroups(append) };
}

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
  it('are committed in two transactions: the first one, and all that came meanwhile, in their order', async () => {
    const { groups: under, sizes } = groups();
    const issuer = issuerNumber(1);
    const names = Array.from({ length: 100 }, (_, i) => `together-${i}`);
    const stored = await Promise.all(names.map((name) => under.store(issuer, delivery(name))));
    expect(sizes).toEqual([1, 99]);
    expect(stored).toEqual(names.map(() => ({ stored: 1, repeated: 0 })));
    expect(await logOf(issuer)).toEqual(names);
  });

  it('stay one group when each sender waits for its answer before it sends the next', async () => {
    const { groups: under, sizes } = groups();
    const sender = async () => {
      for (let i = 0; i < 3; i++) {
        await under.store(issuerNumber(9), fresh(1));
        // The answer goes out, and the next delivery comes in, in a later turn of the event loop.
        await setImmediate();
      }
    };
    await Promise.all(Array.from({ length: 10 }, sender));
    expect(sizes).toEqual([1, 9, 10, 10]);
  });

  it('are counted each: of equal ones the first is new', async () => {
    const { groups: under } = groups();
    const issuer = issuerNumber(2);
    const stored = await Promise.all(
      [delivery('a'), delivery('b', 'c'), delivery('c', 'd', 'd'), delivery('a')].map((one) =>
        under.store(issuer, one),
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

  it('are stored without the one that cannot be', async () => {
    const bad = 'cannot be judged';
    const { groups: under } = groups((externalId) => {
      if (externalId === bad) throw new Error(bad);
    });
    const issuer = issuerNumber(3);
    const names = Array.from({ length: 32 }, (_, i) => (i === 20 ? bad : `beside-${i}`));
    const ends = await Promise.allSettled(names.map((name) => under.store(issuer, delivery(name))));
    expect(ends.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))).toEqual([20]);
    expect(await logOf(issuer)).toEqual(names.filter((name) => name !== bad));
  });

  it('are all refused at once when the database is down', async () => {
    let tries = 0;
    const under = new DeliveryGroups(async () => {
      tries++;
      throw Object.assign(new Error('the server is gone'), { code: '57P01' });
    });
    const ends = await Promise.allSettled(
      Array.from({ length: 50 }, () => under.store(issuerNumber(4), fresh(1))),
    );
    expect(ends.map(({ status }) => status)).toEqual(Array(50).fill('rejected'));
    expect(tries).toBe(2);
  });

  it('of many issuers hold three connections at most', async () => {
    let open = 0;
    let most = 0;
    const under = new DeliveryGroups(async (issuer, deliveries) => {
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
    await Promise.all(Array.from({ length: 12 }, (_, i) => under.store(issuerNumber(10 + i), fresh(2))));
    expect(most).toBe(3);
  });

  it('are refused with Retry-After beyond what can wait, and taken again later', async () => {
    const { groups: under } = groups();
    const issuer = issuerNumber(5);
    const large = under.store(issuer, fresh(5_000));
    await expect(async () => under.store(issuer, fresh(1))).rejects.toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
    });
    expect(await large).toEqual({ stored: 5_000, repeated: 0 });
    expect(await under.store(issuer, fresh(1))).toEqual({ stored: 1, repeated: 0 });
  });
});
