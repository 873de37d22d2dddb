import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { dropOldDeliveries } from '../../src/webhooks/deliveries.ts';
import { wakeAll } from '../../src/webhooks/endpoints.ts';
import { capturedLog } from '../_util/captured-log.ts';
import { closedPort } from '../_util/http-server.ts';
import { loneWebhookKey } from '../_util/lone-gateway.ts';
import { metricsOf } from '../_util/metrics.ts';
import { webhookBench } from '../_util/webhook-bench.ts';
import { receiver } from '../_util/webhook-receiver.ts';

const ids = (from: number, count: number) => Array.from({ length: count }, (_, i) => `work-${from + i}`);

describe('deliveries to a webhook endpoint', () => {
  it('are signed, in the order of the log, and contain the event as the query returns it', async () => {
    const bench = await webhookBench();
    const partner = await receiver();
    await bench.happen('before');
    const id = await bench.create(partner.url);
    await bench.happen(...ids(0, 60));
    await bench.happen(...ids(60, 40));
    await expect.poll(partner.externalIds).toHaveLength(100);
    expect(partner.externalIds()).toEqual(ids(0, 100));
    const { events } = await bench.gateway.caller.data(
      `{ events(first: 2) { edges { node { __typename id cursor type source receivedAt raw
        ... on SRRFailed { externalId error { code message path externalId upstreamMessage } } } } } }`,
    );
    const [, second] = events.edges;
    const [first] = partner.events();
    expect(first).toMatchObject({ type: 'SRR_FAILED', timestamp: second.node.receivedAt, data: second.node });
    expect(Object.keys(first?.data)).toEqual(Object.keys(second.node));
    // The challenge and each event have different ids.
    expect(new Set(partner.all.map((one) => one.id)).size).toBe(101);
    await expect
      .poll(async () => (await bench.endpoint(id)).deliveries[0])
      .toMatchObject({ type: 'SRR_FAILED', status: 'DELIVERED', attempts: [{ status: 200, error: null }] });
  });

  it('contain only the common fields of an event that cannot be resolved as its type', async () => {
    const bench = await webhookBench();
    const partner = await receiver();
    const id = await bench.create(partner.url);
    const turn = (status: string) =>
      bench.mutate('updateWebhookEndpoint', { id, status }, 'webhookEndpoint { id }');
    await turn('DISABLED');
    await bench.happen('nowhere');
    // A collection without an address, which no delivery causes: `CollectionCreated.address` is non-null.
    await bench.db.updateTable('event').set({ type: 'COLLECTION_CREATED' }).execute();
    await turn('ENABLED');
    await bench.happen('behind it');
    await expect
      .poll(() => partner.events().map(({ type }) => type))
      .toEqual(['COLLECTION_CREATED', 'SRR_FAILED']);
    expect(partner.events()[0]?.data).toMatchObject({
      __typename: 'CollectionCreated',
      raw: { externalId: 'nowhere' },
    });
  });

  it('are counted in the metrics, and so are endpoints by status', async () => {
    const bench = await webhookBench();
    const partner = await receiver(({ data }) => (data.externalId === 'refused' ? 422 : 200));
    await bench.create(partner.url);
    await bench.happen('refused');
    await expect.poll(partner.events).not.toEqual([]);
    const metrics = await metricsOf(bench.gateway.address);
    expect(metrics).toMatch(/^srr_webhook_deliveries_total\{outcome="ACCEPTED"\} 1$/m);
    expect(metrics).toMatch(/^srr_webhook_deliveries_total\{outcome="REFUSED"\} [1-9]/m);
    expect(metrics).toContain('srr_webhook_endpoints{status="ENABLED"} 1');
    expect(metrics).toContain('srr_webhook_endpoints{status="DISABLED"} 0');
    expect(metrics).toMatch(/^srr_webhook_queue_age_seconds [\d.]+$/m);
  });

  it('are of the chosen types only', async () => {
    const bench = await webhookBench();
    const partner = await receiver();
    await bench.create(partner.url, { types: ['UNRECOGNIZED'] });
    await bench.happen('not for this one');
    await fetch(`${bench.gateway.address}/webhooks/commerce`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': loneWebhookKey },
      body: JSON.stringify({ type: 'a_kind_of_tomorrow', data: [{ x: 1 }] }),
    });
    await expect.poll(() => partner.events().map(({ type }) => type)).toEqual(['UNRECOGNIZED']);
  });

  it('wait in order while the endpoint is down, and keep their ids in all attempts', async () => {
    const bench = await webhookBench();
    let down = 4;
    const partner = await receiver(({ type }) => (type === 'SRR_FAILED' && down-- > 0 ? 503 : 200));
    const id = await bench.create(partner.url);
    await bench.happen(...ids(0, 3));
    await expect.poll(partner.externalIds).toEqual(['work-0', 'work-0', 'work-0', 'work-0', ...ids(0, 3)]);
    expect(new Set(partner.events().map((one) => one.id)).size).toBe(3);
    await expect
      .poll(async () => (await bench.endpoint(id)).deliveries)
      .toMatchObject([
        {},
        {},
        {
          status: 'DELIVERED',
          attemptCount: 5,
          attempts: [
            { status: 503, excerpt: 'not today' },
            { status: 503 },
            { status: 503 },
            { status: 503 },
            { status: 200, excerpt: null },
          ],
        },
      ]);
    expect(await bench.endpoint(id)).toMatchObject({ status: 'ENABLED', failingSince: null });
  });

  it('that the endpoint refuses do not hold up the others, and are retried beside them', async () => {
    const bench = await webhookBench();
    let refusals = 3;
    const partner = await receiver(({ data }) =>
      data.externalId === 'work-1' && refusals-- > 0 ? 422 : 200,
    );
    const id = await bench.create(partner.url);
    await bench.happen(...ids(0, 5));
    const first = () => [...new Set(partner.externalIds())];
    await expect.poll(() => partner.externalIds().filter((one) => one === 'work-1').length).toBe(4);
    expect(first()).toEqual(ids(0, 5));
    // The others were sent before the refused one was accepted.
    expect(partner.externalIds().lastIndexOf('work-1')).toBeGreaterThan(
      partner.externalIds().indexOf('work-4'),
    );
    await expect
      .poll(async () => (await bench.endpoint(id)).deliveries.map(({ status }: { status: string }) => status))
      .toEqual(Array(5).fill('DELIVERED'));
  });

  it('that the endpoint refuses are retried when no event is behind them', async () => {
    const bench = await webhookBench();
    let refusals = 1;
    const partner = await receiver(({ type }) => (type === 'SRR_FAILED' && refusals-- > 0 ? 422 : 200));
    await bench.create(partner.url);
    await bench.happen('last');
    await expect.poll(partner.externalIds).toEqual(['last', 'last']);
  });

  it('pause after three refusals in a row, even if they are far apart', async () => {
    const bench = await webhookBench({ WEBHOOK_RETRY_FIRST: '60' });
    const partner = await receiver(({ type }) => (type === 'SRR_FAILED' ? 401 : 200));
    const id = await bench.create(partner.url);
    const failures = async () =>
      (await bench.db.selectFrom('webhook_endpoint').selectAll().executeTakeFirstOrThrow()).attempts;
    for (const [i, one] of ids(0, 3).entries()) {
      await bench.happen(one);
      await expect.poll(async () => (await bench.endpoint(id)).deliveries).toHaveLength(i + 1);
      // Wait until the worker has found nothing more to send.
      await expect.poll(failures).toBe(i < 2 ? 0 : 3);
    }
    await bench.happen('work-3');
    const { next_at: next } = await bench.db
      .selectFrom('webhook_endpoint')
      .selectAll()
      .executeTakeFirstOrThrow();
    expect((next?.getTime() ?? 0) - Date.now()).toBeGreaterThan(60_000);
    expect(partner.externalIds()).toEqual(ids(0, 3));
  });

  it('are sent at WEBHOOK_RATE after a burst of one second', async () => {
    const bench = await webhookBench({ WEBHOOK_RATE: '20' });
    const partner = await receiver();
    await bench.create(partner.url);
    await bench.happen(...ids(0, 41));
    await expect.poll(partner.externalIds).toEqual(ids(0, 41));
    const [first, last] = [partner.events()[0], partner.events().at(-1)];
    expect((last?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(900);
  });

  it('respect the Retry-After of the endpoint', async () => {
    const bench = await webhookBench();
    const times: number[] = [];
    const partner = await receiver(({ type, at }, response) => {
      if (type !== 'SRR_FAILED') return 200;
      times.push(at);
      if (times.length > 1) return 200;
      response.writeHead(429, { 'retry-after': '1' }).end();
      return undefined;
    });
    await bench.create(partner.url);
    await bench.happen('slowly');
    await expect.poll(() => times).toHaveLength(2);
    expect((times[1] as number) - (times[0] as number)).toBeGreaterThanOrEqual(990);
  });

  it('that are not accepted within WEBHOOK_RETRY_FOR are FAILED, and can be redelivered', async () => {
    const bench = await webhookBench({ WEBHOOK_RETRY_FOR: '0.3', WEBHOOK_HOLD: '0.05' });
    let down = true;
    const partner = await receiver(({ type }) => (type === 'SRR_FAILED' && down ? 500 : 200));
    const id = await bench.create(partner.url);
    const since = new Date(Date.now() - 1_000).toISOString();
    await bench.happen(...ids(0, 3));
    const statuses = async () =>
      (await bench.endpoint(id)).deliveries.map(({ status }: { status: string }) => status);
    await expect.poll(statuses, { timeout: 30_000 }).toEqual(['FAILED', 'FAILED', 'FAILED']);
    const before = partner.events();
    down = false;
    const { deliveries } = await bench.endpoint(id);
    const one = deliveries[0].id;
    const again = (input: object) => bench.mutate('redeliver', { webhookEndpoint: id, ...input }, 'count');
    expect(await again({ delivery: one })).toEqual({ count: 1, userErrors: [] });
    await expect
      .poll(async () => (await statuses()).filter((status: string) => status === 'DELIVERED'))
      .toHaveLength(1);
    expect(await again({ failedSince: since })).toEqual({ count: 2, userErrors: [] });
    await expect.poll(statuses).toEqual(['DELIVERED', 'DELIVERED', 'DELIVERED']);
    // The ids are the same as before.
    const after = partner.events().slice(before.length);
    expect(new Set(partner.events().map((event) => event.id)).size).toBe(3);
    expect(after).toHaveLength(3);
    expect(await again({ failedSince: since })).toEqual({ count: 0, userErrors: [] });
    expect(await again({})).toMatchObject({ userErrors: [{ path: ['input', 'delivery'] }] });
    expect(await again({ delivery: id })).toMatchObject({ userErrors: [{ path: ['input', 'delivery'] }] });
  });

  it('that hold up others are sent only once when they are redelivered', async () => {
    const bench = await webhookBench({ WEBHOOK_RETRY_FIRST: '60' });
    let down = true;
    const partner = await receiver(({ type }) => (type === 'SRR_FAILED' && down ? 503 : 200));
    const id = await bench.create(partner.url);
    await bench.happen(...ids(0, 3));
    await expect.poll(async () => (await bench.endpoint(id)).deliveries).toHaveLength(1);
    down = false;
    const [held] = (await bench.endpoint(id)).deliveries;
    expect(
      await bench.mutate('redeliver', { webhookEndpoint: id, delivery: held.id }, 'count'),
    ).toMatchObject({
      count: 1,
    });
    await expect
      .poll(async () => (await bench.endpoint(id)).deliveries.map(({ status }: { status: string }) => status))
      .toEqual(Array(3).fill('DELIVERED'));
    expect(partner.externalIds()).toEqual(['work-0', ...ids(0, 3)]);
  });

  it('stop when the endpoint has failed for long, and continue there once it is enabled', async () => {
    const bench = await webhookBench({ WEBHOOK_FAILING_AFTER: '0.5', WEBHOOK_DISABLE_AFTER: '2' });
    let down = true;
    const partner = await receiver(({ type }) => (type !== 'CHALLENGE' && down ? 500 : 200));
    const watcher = await receiver();
    const id = await bench.create(partner.url);
    await bench.create(watcher.url, { types: ['WEBHOOK_ENDPOINT_DISABLED'] });
    await bench.happen(...ids(0, 2));
    const status = async () => (await bench.endpoint(id)).status;
    await expect.poll(status, { timeout: 30_000 }).toBe('FAILING');
    await expect.poll(status, { timeout: 30_000 }).toBe('DISABLED');
    await expect
      .poll(watcher.events)
      .toMatchObject([
        { type: 'WEBHOOK_ENDPOINT_DISABLED', data: { webhookEndpoint: id, source: 'GATEWAY' } },
      ]);
    expect(watcher.events()[0]?.data.message).toMatch(
      /127\.0\.0\.1:\d+ gets no more deliveries, because it has failed since .+ HTTP 500$/,
    );
    const refused = await bench.mutate(
      'redeliver',
      { webhookEndpoint: id, failedSince: new Date().toISOString() },
      'count',
    );
    expect(refused.userErrors[0].message).toMatch(/Enable it first/);
    const { length } = partner.events();
    await bench.happen('while it is disabled');
    await expect.poll(() => bench.endpoint(id)).toMatchObject({ status: 'DISABLED' });
    down = false;
    await bench.mutate('updateWebhookEndpoint', { id, status: 'ENABLED' }, 'webhookEndpoint { status }');
    await expect
      .poll(() =>
        partner
          .events()
          .slice(length)
          .map(({ data }) => data.externalId ?? data.__typename),
      )
      .toEqual([...ids(0, 2), 'WebhookEndpointDisabled', 'while it is disabled']);
    expect(await bench.endpoint(id)).toMatchObject({ status: 'ENABLED', failingSince: null });
  });

  it('stop when the endpoint is disabled during a retry that succeeds', async () => {
    const bench = await webhookBench({ WEBHOOK_FAILING_AFTER: '0.3' });
    let disable: (() => Promise<unknown>) | undefined;
    const partner = await receiver(async ({ type }) => {
      if (type === 'CHALLENGE') return 200;
      if (!disable) return 500;
      await disable();
      return 200;
    });
    const id = await bench.create(partner.url);
    await bench.happen('first');
    await expect.poll(async () => (await bench.endpoint(id)).status, { timeout: 30_000 }).toBe('FAILING');
    disable = () =>
      bench.mutate('updateWebhookEndpoint', { id, status: 'DISABLED' }, 'webhookEndpoint { id }');
    await expect.poll(async () => (await bench.endpoint(id)).deliveries[0].status).toBe('DELIVERED');
    expect(await bench.endpoint(id)).toMatchObject({ status: 'DISABLED' });
  });

  it('stop at once when the endpoint answers 410', async () => {
    const { log, text } = capturedLog();
    const bench = await webhookBench({}, log);
    const partner = await receiver(({ type }) => (type === 'SRR_FAILED' ? 410 : 200));
    const id = await bench.create(partner.url);
    await bench.happen('unwanted');
    await expect.poll(async () => (await bench.endpoint(id)).status).toBe('DISABLED');
    expect(partner.events()).toHaveLength(1);
    await expect.poll(text).toContain('a webhook endpoint is disabled');
  });

  it('to one endpoint are not held up by another that hangs', async () => {
    const bench = await webhookBench({ WEBHOOK_TIMEOUT: '300', DRAIN_TIMEOUT: '0.1' });
    const fast = await receiver();
    const hanging = await receiver(({ type }) => (type === 'CHALLENGE' ? 200 : undefined));
    for (let i = 0; i < 4; i++) await bench.create(`${hanging.url}/${i}`);
    await bench.create(fast.url);
    for (let i = 0; i < 20; i++) await bench.happen(`work-${i}`);
    await expect.poll(fast.externalIds, { timeout: 30_000 }).toEqual(ids(0, 20));
    // Each hanging endpoint has received only the first delivery.
    expect(hanging.externalIds()).toEqual(Array(4).fill('work-0'));
  });

  it('have an error when no response comes, without the query string of the address', async () => {
    const bench = await webhookBench();
    const partner = await receiver();
    const id = await bench.create(`${partner.url}?key=hunter2`);
    const closedUrl = await closedPort();
    await bench.db
      .updateTable('webhook_endpoint')
      .set({ url: `${closedUrl}/?key=hunter2` })
      .execute();
    await bench.happen('lost');
    await expect
      .poll(async () => (await bench.endpoint(id)).deliveries[0]?.attempts[0])
      .toMatchObject({ status: null, excerpt: null, error: 'It cannot be reached (ECONNREFUSED).' });
    const { rows } = await sql`select attempts::text as text from gateway.webhook_delivery`.execute(bench.db);
    expect(JSON.stringify(rows)).not.toContain('hunter2');
  });

  it('are deleted after their retention time, except for those that are still pending', async () => {
    const bench = await webhookBench();
    const partner = await receiver(({ data }) => (data.externalId === 'refused' ? 422 : 200));
    const id = await bench.create(partner.url);
    await bench.happen('old', 'refused', 'new');
    await expect.poll(async () => (await bench.endpoint(id)).deliveries).toHaveLength(3);
    await sql`update gateway.webhook_delivery set created_at = created_at - interval '31 days'
      where cursor < 3`.execute(bench.db);
    await dropOldDeliveries(bench.db, 30 * 86_400_000, new AbortController().signal);
    const kept = (await bench.endpoint(id)).deliveries.map(({ status }: { status: string }) => status);
    expect(kept).toEqual(['DELIVERED', 'PENDING']);
  });

  it('reach an endpoint that an older release did not mark as due', async () => {
    const bench = await webhookBench();
    const partner = await receiver();
    await bench.create(partner.url);
    await bench.happen('first');
    await expect.poll(partner.externalIds).toEqual(['first']);
    const settled = async () =>
      (await bench.db.selectFrom('webhook_endpoint').selectAll().executeTakeFirst())?.lease_owner;
    await expect.poll(settled).toBeNull();
    await bench.db
      .updateTable('webhook_endpoint')
      .set({ cursor: '0', next_at: null, has_more: false })
      .execute();
    await wakeAll(bench.db);
    await expect.poll(partner.externalIds).toEqual(['first', 'first']);
  });

  it('have ids that are derived from endpoint and event', async () => {
    const bench = await webhookBench();
    const partner = await receiver();
    const id = await bench.create(partner.url);
    await bench.happen('one');
    await expect.poll(partner.events).toHaveLength(1);
    const row = await bench.db.selectFrom('webhook_endpoint').select(['id']).executeTakeFirstOrThrow();
    const hex = createHash('sha256').update(`${row.id} 1`).digest('hex');
    expect(partner.events()[0]?.id.slice(0, 16)).toBe(`msg_${hex.slice(0, 12)}`);
    // As after a crash that lost the attempt: the endpoint gets the event again, with the same id.
    await bench.db.updateTable('webhook_endpoint').set({ cursor: '0' }).execute();
    await bench.mutate('updateWebhookEndpoint', { id, status: 'ENABLED' }, 'webhookEndpoint { id }');
    await expect.poll(partner.events).toHaveLength(2);
    expect(partner.events()[1]?.id).toBe(partner.events()[0]?.id);
    await expect.poll(async () => (await bench.endpoint(id)).deliveries).toMatchObject([{ attemptCount: 2 }]);
  });
});
