import { afterEach, describe, expect, it } from 'vitest';
import { type EventGateways, eventGateways } from '../_util/event-gateways.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { quickEnv } from '../_util/webhook-bench.ts';
import { type Receiver, receiver, receiverSecret } from '../_util/webhook-receiver.ts';
import { feed } from '../_util/webhook-run.ts';

// `npm run test:webhooks` runs twenty thousand events and ten kills; WEBHOOK_RUN_SEED repeats a run.
const events = Number(process.env.WEBHOOK_RUN_EVENTS ?? 300);
const kills = Number(process.env.WEBHOOK_RUN_KILLS ?? 1);
const seed = process.env.WEBHOOK_RUN_SEED ?? String(Date.now());
/** Allows for starts of some seconds, for 60 events a second, and for the lag of the slow endpoint. */
const limitMs = 90_000 + kills * 30_000 + events * 50;
/** How long a kill delays deliveries: the lease (10 s), the next poll (2 s), and a start at the same time. */
const killEffectMs = 15_000;
/** The allowed delay of the fast endpoint. The small run shares its processors with the suite. */
const lateMs = process.env.WEBHOOK_RUN_EVENTS ? 2_000 : 5_000;

let gateways: EventGateways | undefined;
afterEach(() => gateways?.stop());

/** The numbers of the events in the order of their first delivery. */
const firstDeliveries = ({ externalIds }: Receiver) =>
  [...new Set(externalIds())].map((id) => Number(id?.slice('event-'.length)));

describe('webhook endpoints of a gateway that is killed', () => {
  const suite = async (replicas: number) => {
    gateways = await eventGateways({
      replicas,
      env: { ...quickEnv, WEBHOOK_TIMEOUT: '2', WEBHOOK_RETRY_FIRST: '0.2', WEBHOOK_HOLD: '3600' },
    });
    const proven = (type: string, status: () => number | undefined | Promise<number>) =>
      type === 'CHALLENGE' ? 200 : status();
    const partners = {
      fast: await receiver(),
      slow: await receiver(({ type }) =>
        proven(type, () => new Promise((answer) => setTimeout(() => answer(200), 12))),
      ),
      failing: await receiver(({ type }) => proven(type, () => 500)),
      // Three seconds up, three seconds down.
      flapping: await receiver(({ type, at }) => proven(type, () => (at % 6_000 < 3_000 ? 200 : 503))),
      hanging: await receiver(({ type }) => proven(type, () => undefined)),
    };
    const caller = new GraphQLCaller(gateways.replicas[0]?.url as string, {
      authorization: `Bearer ${gateways.token}`,
    });
    for (const { url } of Object.values(partners)) {
      const { createWebhookEndpoint } = await caller.data(
        `mutation ($url: URL!, $secret: String) {
          createWebhookEndpoint(input: { url: $url, secret: $secret }) { userErrors { message } } }`,
        { url, secret: receiverSecret },
      );
      expect(createWebhookEndpoint.userErrors).toEqual([]);
    }
    const feedResult = await feed(gateways, { events, kills, seed });
    expect(feedResult.kills).toHaveLength(kills);
    const { fast, slow, flapping, failing, hanging } = partners;
    const all = Array.from({ length: events }, (_, n) => n);
    const isWhole = (one: Receiver) => new Set(one.externalIds()).size === events;
    await expect
      .poll(() => [fast, slow, flapping].every(isWhole), { timeout: limitMs, interval: 500 })
      .toBe(true);

    const lateness = fast.events().map(({ at, timestamp }) => ({
      ms: at - Date.parse(timestamp),
      delayed: feedResult.kills.some((kill) => at >= kill && Date.parse(timestamp) <= kill + killEffectMs),
    }));
    const calm = lateness.flatMap(({ ms, delayed }) => (delayed ? [] : [ms])).toSorted((a, b) => a - b);
    const at = (share: number) => calm[Math.floor((calm.length - 1) * share)];
    const memory = [...feedResult.memory.values()].filter(({ length }) => length >= 10);
    process.stdout.write(
      `${replicas} replica(s), seed ${seed}: ${JSON.stringify({
        events,
        kills,
        requests: Object.fromEntries(
          Object.entries(partners).map(([name, one]) => [name, one.events().length]),
        ),
        fastMs: { calm: calm.length, median: at(0.5), p99: at(0.99), max: at(1) },
        memoryMB: memory.map((samples) => [samples[4], Math.max(...samples), samples.at(-1)]),
      })}\n`,
    );
    // Every event came, and its first delivery was in the order of the log.
    for (const one of [fast, slow, flapping]) expect(firstDeliveries(one)).toEqual(all);
    for (const one of [fast, slow, flapping])
      expect(new Set(one.events().map(({ id }) => id)).size, 'one id for each event').toBe(events);
    // The endpoints that never accept a delivery stay at the first event.
    for (const one of [failing, hanging]) expect([...new Set(one.externalIds())]).toEqual(['event-0']);
    expect(calm.length).toBeGreaterThan(events / 10);
    expect(at(1)).toBeLessThan(lateMs);
    // Compare with the fifth sample, ten seconds after the start, of each process with at least ten samples.
    for (const samples of memory)
      expect((samples.at(-1) as number) - (samples[4] as number), `MB: ${samples}`).toBeLessThan(100);
  };

  it('get every event in order, and slow ones do not delay the fast one', () => suite(1), limitMs);

  it.runIf(process.env.TEST_DATABASE_URL)(
    'get every event in order from two replicas, and slow ones do not delay the fast one',
    () => suite(2),
    limitMs,
  );
});
