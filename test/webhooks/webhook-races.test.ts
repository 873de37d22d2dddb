import { randomUUID } from 'node:crypto';
import { silent } from '@srr-gateway/common/testing/database';
import { sleep } from '@srr-gateway/common/time';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { SecretBox } from '../../src/access/secret-box.ts';
import type { Db } from '../../src/store/tables.ts';
import { ConfiguredEndpoints } from '../../src/webhooks/configured.ts';
import {
  deliveryId,
  failUnwanted,
  failuresSince,
  findDelivery,
  makeDue,
  messageId,
  recordDeliveries,
} from '../../src/webhooks/deliveries.ts';
import { EndpointManager, type ManageDeps } from '../../src/webhooks/manage.ts';
import { resealSecrets } from '../../src/webhooks/reseal.ts';
import { openSecret, sealSecret } from '../../src/webhooks/secrets.ts';
import { endpointWorker, type ShowEvent, type WorkerDeps } from '../../src/webhooks/worker.ts';
import { type EventStore, eventStore, failures, issuerNumber } from '../_util/event-store.ts';
import { receiverSecret } from '../_util/webhook-receiver.ts';

let store: EventStore;
let nextIssuer = 981;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const hour = 3_600_000;
const times = {
  holdMs: hour,
  retryFirstMs: hour,
  retryForMs: hour,
  failingAfterMs: hour,
  disableAfterMs: hour,
};

/** The dependencies that all workers of this file share. */
const depsOf = ({ db, signals }: EventStore['store']) => ({
  db,
  signals,
  log: silent,
  alone: false,
  config: { maxEndpoints: 1 },
  configured: new ConfiguredEndpoints(),
});

it.each([0, 4])(
  'an endpoint of another configuration that failed %i times is due later, and keeps this count',
  async (failures) => {
    const { db } = store.store;
    const id = randomUUID();
    await db
      .insertInto('webhook_endpoint')
      .values({
        id,
        issuer: issuerNumber(nextIssuer++),
        url: 'https://partner.example/hook',
        configured: true,
        // The issuer may have created it before it was in the configuration.
        sealed_secret: failures > 0 ? Buffer.from('sealed') : null,
        cursor: '0',
        has_more: true,
        attempts: failures,
        next_at: new Date(0),
      })
      .execute();
    const worker = endpointWorker(depsOf(store.store) as unknown as WorkerDeps);
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

it.each(['before', 'after'])(
  'an event is not skipped when its type is added to the endpoint just %s the worker reads the log',
  async (when) => {
    const { db } = store.store;
    const issuer = issuerNumber(nextIssuer++);
    const log = store.log();
    const id = randomUUID();
    await db
      .insertInto('webhook_endpoint')
      .values({
        id,
        issuer,
        url: 'https://partner.example/hook',
        types: ['SRR_ISSUED'],
        sealed_secret: Buffer.from('sealed'),
        cursor: '0',
        has_more: true,
        next_at: new Date(0),
      })
      .execute();
    let hasChanged = false;
    /** Adds all types to the endpoint, and delivers an event of a new type at once. */
    const change = async () => {
      if (hasChanged) return;
      hasChanged = true;
      await db.updateTable('webhook_endpoint').set({ types: null }).where('id', '=', id).execute();
      await store.deliver(issuer, failures(1));
    };
    const sent: string[] = [];
    const deps = {
      ...depsOf(store.store),
      box: { open: () => receiverSecret },
      throttle: { wait: async () => {} },
      show: async () => ({}),
      events: {
        head: async () => {
          await change();
          return log.head(issuer);
        },
        read: log.read.bind(log),
      },
      sender: {
        send: async (_url: string, _secrets: string[], { body }: { body: string }) => {
          sent.push(JSON.parse(body).type);
          return { attempt: { at: '', durationMs: 0 }, outcome: 'ACCEPTED' };
        },
      },
    };
    const worker = endpointWorker(
      (when === 'before'
        ? { ...deps, db: changingAfterRead(db, 'read_at', change) }
        : deps) as unknown as WorkerDeps,
    );
    await worker.start();
    onTestFinished(() => worker.stop(60_000));
    await expect.poll(() => sent).toEqual(['SRR_FAILED']);
  },
);

/** Adds an endpoint that is due, of an issuer whose log has as many events. */
async function addDueEndpoint(events: number, more: object = {}) {
  const [id, issuer] = [randomUUID(), issuerNumber(nextIssuer++)];
  await store.deliver(issuer, failures(events));
  const url = 'https://partner.example/hook';
  const place = { id, issuer, url, sealed_secret: Buffer.from('sealed'), cursor: '0' };
  await store.store.db
    .insertInto('webhook_endpoint')
    .values({ ...place, next_at: new Date(0), ...more })
    .execute();
  return { id, messages: Array.from({ length: events }, (_, i) => messageId(deliveryId(id, `${i + 1}`))) };
}

/** A worker whose endpoints give the outcome that `outcomeOf` returns for the id of a message. */
function workerThatSends(outcomeOf: (id: string) => Promise<string>, show: ShowEvent = async () => ({})) {
  return endpointWorker({
    ...depsOf(store.store),
    config: { ...times, maxEndpoints: 1 },
    box: { open: () => receiverSecret },
    throttle: { wait: async () => {} },
    show,
    events: store.log(),
    sender: {
      send: async (_url: string, _secrets: string[], { id }: { id: string }) => {
        const startedAt = performance.now();
        const outcome = await outcomeOf(id);
        const durationMs = performance.now() - startedAt;
        return { attempt: { at: '', durationMs, status: null, excerpt: null, error: 'none' }, outcome };
      },
    },
  } as unknown as WorkerDeps);
}

it.each([
  [['ACCEPTED'], '2', null],
  [['REFUSED'], '2', expect.any(Date)],
  [[], '2', expect.any(Date)],
  [['ACCEPTED', 'REFUSED'], '3', null],
])(
  'an endpoint whose attempts are %j for an older event and then unanswered pauses at cursor %s',
  async (says, cursor, nextAt) => {
    const { db } = store.store;
    const [id, issuer] = [randomUUID(), issuerNumber(nextIssuer++)];
    await store.deliver(issuer, failures(3));
    await db
      .insertInto('webhook_endpoint')
      .values({
        id,
        issuer,
        url: 'https://partner.example/hook',
        sealed_secret: Buffer.from('sealed'),
        cursor: '2',
        has_more: true,
        next_at: new Date(0),
      })
      .execute();
    const aside = deliveryId(id, '1');
    const place = { id: aside, endpoint_id: id, cursor: '1', type: 'SRR_FAILED', attempts: '[]' };
    await db
      .insertInto('webhook_delivery')
      .values({ ...place, status: 'PENDING', next_at: new Date(0) })
      .execute();
    const answers = [...says];
    let sent = 0;
    const worker = workerThatSends(async () => {
      sent++;
      // A new event must not end the pause.
      if (sent === 1) await store.deliver(issuer, failures(1));
      return answers.shift() ?? 'UNANSWERED';
    });
    onTestFinished(() => worker.stop(60_000));
    await worker.start();
    const stored = () =>
      db.selectFrom('webhook_endpoint').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    // After a refusal it is due at once, which a rounded time may put after now.
    await expect.poll(async () => (await stored()).next_at?.getTime()).toBeGreaterThan(Date.now() + 60_000);
    expect([sent, (await stored()).cursor]).toEqual([says.length + 1, cursor]);
    const delivery = db.selectFrom('webhook_delivery').select('next_at').where('id', '=', aside);
    expect(await delivery.executeTakeFirst()).toEqual({ next_at: nextAt });
  },
);

it('an endpoint that keeps failing is first sent the event that failed, and its failures add up', async () => {
  const { db } = store.store;
  const [id, issuer] = [randomUUID(), issuerNumber(nextIssuer++)];
  await store.deliver(issuer, failures(2));
  await db
    .insertInto('webhook_endpoint')
    .values({
      id,
      issuer,
      url: 'https://partner.example/hook',
      sealed_secret: Buffer.from('sealed'),
      cursor: '1',
      attempts: 4,
      failing_since: new Date(),
      next_at: new Date(0),
    })
    .execute();
  const aside = { id: deliveryId(id, '1'), endpoint_id: id, cursor: '1', type: 'SRR_FAILED', attempts: '[]' };
  await db
    .insertInto('webhook_delivery')
    .values({ ...aside, status: 'PENDING', next_at: new Date(0) })
    .execute();
  const sent: string[] = [];
  const worker = workerThatSends(async (message) => {
    sent.push(message);
    return 'UNANSWERED';
  });
  onTestFinished(() => worker.stop(60_000));
  await worker.start();
  const attempts = db.selectFrom('webhook_endpoint').select('attempts').where('id', '=', id);
  await expect.poll(() => attempts.executeTakeFirst()).toEqual({ attempts: 5 });
  expect(sent).toEqual([messageId(deliveryId(id, '2'))]);
});

it('an endpoint that takes longer than a step gets each event once, and what it accepted is stored meanwhile', async () => {
  const { id, messages } = await addDueEndpoint(6);
  const accepted = store.store.db.selectFrom('webhook_delivery').select('id').where('endpoint_id', '=', id);
  const sent: string[] = [];
  let storedBeforeLast = 0;
  const worker = workerThatSends(async (message) => {
    sent.push(message);
    if (message === messages.at(-1)) storedBeforeLast = (await accepted.execute()).length;
    await sleep(300);
    return 'ACCEPTED';
  });
  onTestFinished(() => worker.stop(60_000));
  await worker.start();
  await expect.poll(() => accepted.execute()).toHaveLength(6);
  expect(sent).toEqual(messages);
  expect(storedBeforeLast).toBeGreaterThan(0);
});

it('an event that could not be read once is sent next, and those before it are not sent again', async () => {
  const { id, messages } = await addDueEndpoint(3);
  const sent: string[] = [];
  let reads = 0;
  const worker = workerThatSends(
    async (message) => {
      sent.push(message);
      return 'ACCEPTED';
    },
    async () => {
      if (++reads === 2) throw new Error('not now');
      return {};
    },
  );
  onTestFinished(() => worker.stop(60_000));
  await worker.start();
  const accepted = store.store.db.selectFrom('webhook_delivery').select('id').where('endpoint_id', '=', id);
  await expect.poll(() => accepted.execute()).toHaveLength(3);
  expect(sent).toEqual(messages);
});

it('a redelivered delivery has its full retry time again', async () => {
  const { db } = store.store;
  const [id, issuer] = [randomUUID(), issuerNumber(nextIssuer++)];
  await db
    .insertInto('webhook_endpoint')
    .values({
      id,
      issuer,
      url: 'https://partner.example/',
      sealed_secret: Buffer.from('sealed'),
      cursor: '1',
    })
    .execute();
  const first_at = new Date(Date.now() - 100 * hour);
  const delivery = { id: randomUUID(), endpoint_id: id, cursor: '1', type: 'SRR_FAILED', attempts: '[]' };
  await db
    .insertInto('webhook_delivery')
    .values({ ...delivery, status: 'FAILED', first_at })
    .execute();
  expect(await makeDue(db, { id, types: null }, { id: delivery.id })).toHaveLength(1);
  const stored = db
    .selectFrom('webhook_delivery')
    .select(['status', 'first_at'])
    .where('id', '=', delivery.id);
  const now = await stored.executeTakeFirstOrThrow();
  expect(now.status).toBe('PENDING');
  expect(now.first_at.getTime()).toBeGreaterThan(Date.now() - hour);
});

it('a delivery that is redelivered while an attempt fails is due at once', async () => {
  const { db } = store.store;
  const { id } = await addDueEndpoint(1, { cursor: '1' });
  const aside = deliveryId(id, '1');
  const delivery = { id: aside, endpoint_id: id, cursor: '1', type: 'SRR_FAILED', attempts: '[]' };
  await db
    .insertInto('webhook_delivery')
    .values({
      ...delivery,
      status: 'PENDING',
      first_at: new Date(Date.now() - 100 * hour),
      next_at: new Date(0),
    })
    .execute();
  const worker = workerThatSends(async () => {
    await makeDue(db, { id, types: null }, { id: aside });
    return 'UNANSWERED';
  });
  onTestFinished(() => worker.stop(60_000));
  await worker.start();
  const stored = db
    .selectFrom('webhook_delivery')
    .select(['status', 'attempt_count', sql<boolean>`next_at <= clock_timestamp()`.as('due')])
    .where('id', '=', aside);
  await expect
    .poll(() => stored.executeTakeFirst())
    .toEqual({ status: 'PENDING', attempt_count: 1, due: true });
});

it('a delivery cannot be redelivered through another endpoint', async () => {
  const { db } = store.store;
  const { id } = await addDueEndpoint(1, { next_at: null });
  const delivery = { id: randomUUID(), endpoint_id: id, cursor: '1', type: 'SRR_FAILED', attempts: '[]' };
  await db
    .insertInto('webhook_delivery')
    .values({ ...delivery, status: 'FAILED' })
    .execute();
  const other = { id: randomUUID(), types: null };
  for (const which of [{ id: delivery.id }, { failedSince: new Date(0) }])
    expect(await makeDue(db, other, which)).toHaveLength(0);
});

it('the deliveries of an endpoint do not affect those of another', async () => {
  const { db } = store.store;
  const [own, other] = [
    await addDueEndpoint(1, { next_at: null }),
    await addDueEndpoint(1, { next_at: null }),
  ];
  const add = async (endpoint_id: string, type: string, status: 'PENDING' | 'DELIVERED') => {
    const delivery = { id: randomUUID(), endpoint_id, cursor: '1', type, attempts: '[]', status };
    const next_at = status === 'PENDING' ? new Date() : null;
    await db
      .insertInto('webhook_delivery')
      .values({ ...delivery, next_at })
      .execute();
    return delivery.id;
  };
  const [unwanted, ...kept] = [
    await add(own.id, 'SRR_FAILED', 'PENDING'),
    await add(own.id, 'SRR_FAILED', 'DELIVERED'),
    await add(own.id, 'SRR_ISSUED', 'PENDING'),
    await add(other.id, 'SRR_FAILED', 'PENDING'),
  ];
  expect(await failuresSince(db, other.id, new Date(0))).toBe(1);
  await failUnwanted(db, own.id, ['SRR_ISSUED']);
  expect(await findDelivery(db, unwanted as string)).toMatchObject({ status: 'FAILED', next_at: null });
  const statuses = kept.map(async (id) => (await findDelivery(db, id))?.status);
  expect(await Promise.all(statuses)).toEqual(['DELIVERED', 'PENDING', 'PENDING']);
});

it('a delivery keeps its last thirty attempts', async () => {
  const { db } = store.store;
  const { id } = await addDueEndpoint(1, { next_at: null });
  const [delivery, at] = [randomUUID(), new Date().toISOString()];
  for (let durationMs = 1; durationMs <= 32; durationMs++) {
    const attempt = { at, durationMs, status: 503, excerpt: null, error: null };
    const result = { id: delivery, cursor: '1', type: 'SRR_FAILED', status: 'PENDING' as const };
    await recordDeliveries(db, id, [{ ...result, attempt, nextInMs: null }]);
  }
  const stored = await findDelivery(db, delivery);
  expect(stored?.attempts.map(({ durationMs }) => durationMs)).toEqual(
    Array.from({ length: 30 }, (_, i) => i + 3),
  );
  expect(stored?.attempt_count).toBe(32);
});

it('an endpoint that is moved does not wait for the lease of a delivery to its old address', async () => {
  const { db } = store.store;
  const [id, issuer] = [randomUUID(), issuerNumber(nextIssuer++)];
  const leased = { lease_owner: 'a worker', lease_until: new Date(Date.now() + hour) };
  const url = 'https://old.example/';
  await db
    .insertInto('webhook_endpoint')
    .values({ id, issuer, url, sealed_secret: Buffer.from('sealed'), cursor: '0', ...leased })
    .execute();
  const manager = new EndpointManager({
    ...depsOf(store.store),
    box: { open: () => receiverSecret },
    sender: { send: async () => ({ outcome: 'ACCEPTED' }) },
  } as unknown as ManageDeps);
  const moved = await manager.update(
    issuer,
    id,
    { url: 'https://new.example/' },
    new AbortController().signal,
  );
  expect(moved.row).toMatchObject({ lease_owner: null, lease_until: null, has_more: true });
});

it('a secret that is changed while secrets are sealed again stays', async () => {
  const { db } = store.store;
  const [id, issuer] = [randomUUID(), issuerNumber(nextIssuer++)];
  const [old, current] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const sealed = (key: Buffer, secret: string) => sealSecret(new SecretBox(key), id, secret);
  await db
    .insertInto('webhook_endpoint')
    .values({
      id,
      issuer,
      url: 'https://partner.example/',
      sealed_secret: sealed(old, 'the old one'),
      cursor: '0',
    })
    .execute();
  const change = async () => {
    await db
      .updateTable('webhook_endpoint')
      .set({ sealed_secret: sealed(current, 'the new one') })
      .where('id', '=', id)
      .execute();
  };
  await resealSecrets(changingAfterRead(db, 'sealed_previous', change), new SecretBox(current, old));
  const stored = db.selectFrom('webhook_endpoint').select('sealed_secret').where('id', '=', id);
  const { sealed_secret: after } = await stored.executeTakeFirstOrThrow();
  expect(openSecret(new SecretBox(current), id, after as Buffer)).toBe('the new one');
});

it('a concurrent update does not undo the new address of an endpoint', async () => {
  const { db } = store.store;
  const [id, issuer] = [randomUUID(), issuerNumber(nextIssuer++)];
  await db
    .insertInto('webhook_endpoint')
    .values({ id, issuer, url: 'https://old.example/', sealed_secret: Buffer.from('sealed'), cursor: '0' })
    .execute();
  let hasMoved = false;
  const move = async () => {
    if (hasMoved) return;
    hasMoved = true;
    await db
      .updateTable('webhook_endpoint')
      .set({ url: 'https://new.example/' })
      .where('id', '=', id)
      .execute();
  };
  const deps = { ...depsOf(store.store), db: changingAfterRead(db, 'url', move) };
  const manager = new EndpointManager(deps as unknown as ManageDeps);
  const { row } = await manager.update(issuer, id, { description: 'shop' }, new AbortController().signal);
  expect(row).toMatchObject({ url: 'https://new.example/', description: 'shop' });
});

/** A database that calls `change` after each read of rows with this column. */
function changingAfterRead(db: Db, column: string, change: () => Promise<void>): Db {
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (result.rows.some((row) => column in row && row.id)) await change();
      return result;
    },
  });
}
