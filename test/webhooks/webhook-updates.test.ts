import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { issuersFromJson } from '../../src/config/issuers.ts';
import { serve } from '../_util/http-server.ts';
import { loneIssuer, loneWebhookKey } from '../_util/lone-gateway.ts';
import { endpointFields, webhookBench } from '../_util/webhook-bench.ts';
import { receiver, receiverSecret } from '../_util/webhook-receiver.ts';

const long = { WEBHOOK_RETRY_FIRST: '60' };

describe('a webhook endpoint that is moved to another address', () => {
  it('gets waiting deliveries at once, and does not inherit the failures of the old address', async () => {
    const bench = await webhookBench(long);
    const old = await receiver(({ type }) => (type === 'CHALLENGE' ? 200 : 503));
    const id = await bench.create(old.url);
    await bench.happen('waits');
    await expect.poll(async () => (await bench.endpoint(id)).failingSince).not.toBeNull();
    await expect
      .poll(
        async () =>
          (await bench.db.selectFrom('webhook_endpoint').select('lease_owner').executeTakeFirst())
            ?.lease_owner,
      )
      .toBeNull();
    const moved = await receiver();
    const { webhookEndpoint } = await bench.mutate(
      'updateWebhookEndpoint',
      { id, url: moved.url },
      `webhookEndpoint { ${endpointFields} }`,
    );
    expect(webhookEndpoint).toMatchObject({ status: 'ENABLED', failingSince: null });
    await expect.poll(moved.externalIds).toEqual(['waits']);
  });

  it('is challenged with its new secret too if it gets one', async () => {
    const bench = await webhookBench();
    const id = await bench.create((await receiver()).url);
    const secret = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
    const { url, all } = await receiver(undefined, secret);
    const change = { id, url, rotateSecret: true, secret };
    expect(await bench.mutate('updateWebhookEndpoint', change, 'webhookEndpoint { url }')).toEqual({
      webhookEndpoint: { url },
      userErrors: [],
    });
    expect(all[0]?.signatures).toHaveLength(2);
  });

  it('gets nothing while it is disabled', async () => {
    const bench = await webhookBench();
    const id = await bench.create((await receiver()).url);
    const update = (change: object) =>
      bench.mutate('updateWebhookEndpoint', { id, ...change }, 'webhookEndpoint { status }');
    await update({ status: 'DISABLED' });
    await bench.happen('waits');
    const moved = await receiver();
    expect(await update({ url: moved.url })).toMatchObject({ webhookEndpoint: { status: 'DISABLED' } });
    // The move makes it due, and the worker has looked at it once it no longer is.
    const due = () => bench.db.selectFrom('webhook_endpoint').select('next_at').executeTakeFirst();
    await expect.poll(due).toEqual({ next_at: null });
    expect(moved.events()).toEqual([]);
    await update({ status: 'ENABLED' });
    await expect.poll(moved.externalIds).toEqual(['waits']);
  });

  it('is not disabled by a 410 that the old address answers meanwhile', async () => {
    const bench = await webhookBench();
    const moved = await receiver();
    let move: (() => Promise<unknown>) | undefined;
    const old = await receiver(async ({ type }) => {
      if (type === 'CHALLENGE') return 200;
      await move?.();
      return 410;
    });
    const id = await bench.create(old.url);
    move = () => bench.mutate('updateWebhookEndpoint', { id, url: moved.url }, 'webhookEndpoint { id }');
    await bench.happen('first');
    await expect.poll(moved.externalIds).toEqual(['first']);
    await bench.happen('second');
    await expect.poll(moved.externalIds).toEqual(['first', 'second']);
    expect(await bench.endpoint(id)).toMatchObject({ status: 'ENABLED', failingSince: null });
  });
});

describe('a delivery whose type is removed from its endpoint', () => {
  it.each(['before it is tried again', 'while it is sent'])('fails: %s', async (when) => {
    const bench = await webhookBench(long);
    const narrow = () =>
      bench.mutate('updateWebhookEndpoint', { id, types: ['SRR_ISSUED'] }, 'webhookEndpoint { id }');
    const partner = await receiver(async ({ type }) => {
      if (type === 'CHALLENGE') return 200;
      if (when === 'while it is sent') await narrow();
      return 503;
    });
    const id = await bench.create(partner.url);
    await bench.happen('unwanted');
    await expect.poll(async () => (await bench.endpoint(id)).failingSince).not.toBeNull();
    if (when === 'before it is tried again') await narrow();
    expect((await bench.endpoint(id)).deliveries).toMatchObject([{ status: 'FAILED', nextAttemptAt: null }]);
    expect(partner.externalIds()).toEqual(['unwanted']);
  });

  it('fails: when the configuration changes', async () => {
    const bench = await webhookBench(long);
    const partner = await receiver(() => 503);
    const configure = (types?: string[]) =>
      bench.gateway.app.replaceIssuers(
        issuersFromJson.parse([
          {
            address: loneIssuer,
            apiKey: 'a-configured-key',
            webhookKeys: [loneWebhookKey],
            webhookEndpoints: [{ url: partner.url, secrets: [receiverSecret], types }],
          },
        ]),
      );
    const held = () => bench.db.selectFrom('webhook_delivery').select('status').execute();
    configure();
    await expect.poll(() => bench.db.selectFrom('webhook_endpoint').select('id').execute()).toHaveLength(1);
    await bench.happen('unwanted');
    await expect.poll(held).toEqual([{ status: 'PENDING' }]);
    configure(['SRR_ISSUED']);
    await expect.poll(held).toEqual([{ status: 'FAILED' }]);
  });

  it('is not redelivered by failedSince, but is by its id', async () => {
    const bench = await webhookBench(long);
    const partner = await receiver(({ type }) => (type === 'CHALLENGE' ? 200 : 503));
    const id = await bench.create(partner.url);
    await bench.happen('unwanted');
    await expect.poll(async () => (await bench.endpoint(id)).failingSince).not.toBeNull();
    await bench.mutate('updateWebhookEndpoint', { id, types: ['SRR_ISSUED'] }, 'webhookEndpoint { id }');
    const again = (which: object) => bench.mutate('redeliver', { webhookEndpoint: id, ...which }, 'count');
    expect(await again({ failedSince: '2020-01-01T00:00:00Z' })).toMatchObject({ count: 0 });
    const [delivery] = (await bench.endpoint(id)).deliveries;
    expect(delivery.status).toBe('FAILED');
    expect(await again({ delivery: delivery.id })).toMatchObject({ count: 1 });
    await expect.poll(partner.externalIds).toEqual(['unwanted', 'unwanted']);
  });
});

describe('a webhook endpoint that keeps failing', () => {
  it('is still FAILING after a redelivery fails too', async () => {
    const bench = await webhookBench({ WEBHOOK_FAILING_AFTER: '0.2' });
    let attempts = 0;
    const partner = await receiver(({ type }) => {
      if (type === 'CHALLENGE') return 200;
      attempts++;
      return 503;
    });
    const id = await bench.create(partner.url);
    await bench.happen('lost');
    await expect.poll(async () => (await bench.endpoint(id)).status).toBe('FAILING');
    const { deliveries, failingSince } = await bench.endpoint(id);
    const before = attempts;
    await bench.mutate('redeliver', { webhookEndpoint: id, delivery: deliveries[0].id }, 'count');
    await expect.poll(() => attempts).toBeGreaterThan(before + 1);
    expect(await bench.endpoint(id)).toMatchObject({ status: 'FAILING', failingSince });
  });

  it('is retried at once when it is enabled while an attempt fails', async () => {
    const bench = await webhookBench(long);
    let attempts = 0;
    const partner = await receiver(async ({ type }) => {
      if (type === 'CHALLENGE' || ++attempts > 2) return 200;
      if (attempts === 2)
        await bench.mutate('updateWebhookEndpoint', { id, status: 'ENABLED' }, 'webhookEndpoint { id }');
      return 503;
    });
    const id = await bench.create(partner.url);
    await bench.happen('lost');
    await expect.poll(async () => (await bench.endpoint(id)).failingSince).not.toBeNull();
    // As if the retry delay of a minute were over.
    const rests = bench.db.updateTable('webhook_endpoint').set({ next_at: new Date() });
    await expect
      .poll(async () => (await rests.where('lease_owner', 'is', null).executeTakeFirst()).numUpdatedRows)
      .toBe(1n);
    await expect.poll(async () => (await bench.endpoint(id)).deliveries[0]?.status).toBe('DELIVERED');
    expect(partner.externalIds()).toEqual(['lost', 'lost', 'lost']);
  });

  it('is not disabled by an attempt during which it is enabled', async () => {
    const bench = await webhookBench(long);
    let attempts = 0;
    const partner = await receiver(async ({ type }) => {
      if (type === 'CHALLENGE' || ++attempts > 2) return 200;
      if (attempts === 2)
        await bench.mutate('updateWebhookEndpoint', { id, status: 'ENABLED' }, 'webhookEndpoint { id }');
      return attempts === 2 ? 410 : 503;
    });
    const id = await bench.create(partner.url);
    await bench.happen('lost');
    // As if the endpoint had failed for days, and the retry delay of a minute were over.
    const failing = { status: 'FAILING', next_at: new Date() } as const;
    const rests = bench.db.updateTable('webhook_endpoint').set(failing).where('attempts', '>', 0);
    await expect
      .poll(async () => (await rests.where('lease_owner', 'is', null).executeTakeFirst()).numUpdatedRows)
      .toBe(1n);
    await expect.poll(async () => (await bench.endpoint(id)).deliveries[0]?.status).toBe('DELIVERED');
    expect(await bench.endpoint(id)).toMatchObject({ status: 'ENABLED', failingSince: null });
    expect(partner.externalIds()).toEqual(['lost', 'lost', 'lost']);
  });

  it('is not disabled by the first failure after a quiet time', async () => {
    const bench = await webhookBench();
    let isRestarting = true;
    const partner = await receiver(({ type }) => {
      if (type === 'CHALLENGE' || !isRestarting) return 200;
      isRestarting = false;
      return 503;
    });
    const id = await bench.create(partner.url);
    // The state after a delivery that was given up a week ago.
    const aWeekAgo = sql<Date>`clock_timestamp() - interval '7 days'`;
    await bench.db.updateTable('webhook_endpoint').set({ failing_since: aWeekAgo }).execute();
    await bench.happen('after a week');
    await expect.poll(async () => (await bench.endpoint(id)).deliveries[0]?.status).toBe('DELIVERED');
    expect(await bench.endpoint(id)).toMatchObject({ status: 'ENABLED', failingSince: null });
  });
});

it('a delivery that was accepted keeps the time of that when it is redelivered in vain', async () => {
  const bench = await webhookBench(long);
  let down = false;
  const partner = await receiver(() => (down ? 503 : 200));
  const id = await bench.create(partner.url);
  await bench.happen('accepted');
  const delivery = async () => (await bench.endpoint(id)).deliveries[0];
  await expect.poll(delivery).toMatchObject({ status: 'DELIVERED' });
  const { id: one, deliveredAt } = await delivery();
  down = true;
  await bench.mutate('redeliver', { webhookEndpoint: id, delivery: one }, 'count');
  await expect.poll(delivery).toMatchObject({ status: 'PENDING', attemptCount: 2, deliveredAt });
});

it('sendTestDelivery returns NOT_FOUND when the endpoint is deleted during the test', async () => {
  const bench = await webhookBench();
  const partner = await receiver(async ({ type }) => {
    if (type === 'TEST') await bench.mutate('deleteWebhookEndpoint', { id }, 'deletedId');
    return 200;
  });
  const id = await bench.create(partner.url);
  expect(await bench.mutate('sendTestDelivery', { id }, 'delivery { status }')).toMatchObject({
    delivery: null,
    userErrors: [{ code: 'NOT_FOUND', path: ['input', 'id'] }],
  });
});

it('two concurrent rotations of a secret leave both new secrets in use', async () => {
  const bench = await webhookBench();
  const rotate = (more = {}) =>
    bench.mutate('updateWebhookEndpoint', { id, rotateSecret: true, ...more }, 'secret');
  let meanwhile: string | undefined;
  const tests: { body: string; headers: Record<string, string> }[] = [];
  const moved = await serve(async ({ body, headers }, response) => {
    meanwhile ??= (await rotate()).secret;
    tests.push({ body: body.toString(), headers: headers as Record<string, string> });
    response.writeHead(200).end();
  });
  const id = await bench.create((await receiver()).url);
  const { secret } = await rotate({ url: `${moved.url}/hook` });
  await bench.mutate('sendTestDelivery', { id }, 'delivery { status }');
  const { body = '', headers = {} } = tests.at(-1) ?? {};
  for (const one of [secret, meanwhile]) new Webhook(one).verify(body, headers);
});
