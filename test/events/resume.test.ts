import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type EventGateways, eventGateways } from '../_util/event-gateways.ts';
import { clients, clientsOfOneReplica } from '../_util/followers/clients.ts';
import { type Follower, follow } from '../_util/followers/follower.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { type LoadBalancer, loadBalancer } from '../_util/load-balancer.ts';
import { type PostgresServer, postgresServer } from '../_util/postgres-server.ts';
import { SeededRandom } from '../_util/seeded-random.ts';

const subscribers = 200;
const deliveries = 60;
const seed = process.env.RESUME_SEED ?? String(Date.now());

let gateways: EventGateways | undefined;
let balancer: LoadBalancer | undefined;
let server: PostgresServer | undefined;
let leaving = new AbortController();

afterEach(async () => {
  leaving.abort();
  leaving = new AbortController();
  await balancer?.close();
  await gateways?.stop();
  await server?.remove();
});

const query =
  'subscription ($after: String) { events(after: $after) { cursor ... on SRRFailed { externalId } } }';

/** Sends a delivery until it is acknowledged, as the service does. */
async function deliver(url: string, webhookKey: string, externalIds: string[]): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/webhooks/commerce`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': webhookKey },
      body: JSON.stringify({ type: 'issue_failed', data: externalIds.map((externalId) => ({ externalId })) }),
    }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await sleep(100);
  }
}

/** Subscribes all clients, calls `disturb` between deliveries; each must get all events once, in order. */
async function expectExactSequences(
  { replicas, webhookKey, token }: EventGateways,
  count: number,
  disturb: (turn: number, balancer: LoadBalancer) => unknown,
): Promise<Follower[]> {
  balancer = await loadBalancer(replicas.map(({ url }) => Number(new URL(url).port)));
  const { url } = balancer;
  await deliver(url, webhookKey, ['first']);
  const caller = new GraphQLCaller(url, { authorization: `Bearer ${token}` });
  const { events } = await caller.data('{ events(first: 1) { edges { cursor } } }');
  const start = events.edges[0].cursor as string;
  const kinds = Object.entries(replicas.length === 1 ? clientsOfOneReplica : clients);
  const followers = Array.from({ length: count }, (_, i) =>
    follow((kinds[i % kinds.length] as (typeof kinds)[0])[1], { url, token, query }, start, leaving.signal),
  );
  const random = new SeededRandom(`${seed}-deliveries`);
  const sent: string[] = [];
  for (let turn = 0; turn < deliveries; turn++) {
    const entries = Array.from({ length: random.integer(1, 4) }, (_, n) => `event-${turn}-${n}`);
    sent.push(...entries);
    await deliver(url, webhookKey, entries);
    await disturb(turn, balancer);
  }
  // The last disconnected clients are still reconnecting, which takes time on a busy machine.
  await expect
    .poll(() => followers.filter(({ seen }) => seen.length < sent.length).length, { timeout: 60_000 })
    .toBe(0);
  for (const [i, { seen }] of followers.entries())
    expect(seen, `seed ${seed}, ${kinds[i % kinds.length]?.[0]}`).toEqual(sent);
  return followers;
}

describe('subscribers that are disconnected at random moments', () => {
  it('receive every event once, in order, when they reconnect with their cursor', async () => {
    const replicas = process.env.TEST_DATABASE_URL ? 2 : 1;
    gateways = await eventGateways({ replicas });
    const { replicas: all, kill } = gateways;
    const random = new SeededRandom(seed);
    let killing: Promise<unknown> = Promise.resolve();
    const followers = await expectExactSequences(gateways, subscribers, async (turn, { reset }) => {
      await sleep(random.integer(0, 100));
      if (turn % 5 === 0) reset(() => random.chance(0.3));
      // With two replicas, the clients of the killed one move to the other.
      if (turn % 25 === 20) killing = killing.then(() => kill(all[turn % replicas] as (typeof all)[0]));
    });
    await killing;
    const connections = followers.reduce((sum, one) => sum + one.connections, 0);
    expect(connections).toBeGreaterThan(subscribers);
  }, 240_000);
});

// Needs PostgreSQL from Debian's package, which .ci/run installs before it sets the variable.
describe.runIf(process.env.TEST_DATABASE_URL)('subscribers of a gateway whose PostgreSQL restarts', () => {
  it.each(['fast', 'immediate'] as const)(
    'stay connected and miss nothing (shutdown mode %s)',
    async (shutdown) => {
      server = await postgresServer();
      gateways = await eventGateways({ databaseUrl: await server.createDatabase() });
      let restarting: Promise<unknown> = Promise.resolve();
      const followers = await expectExactSequences(gateways, 20, async (turn) => {
        await sleep(20);
        if (turn % 20 === 10) restarting = server?.restart(shutdown) ?? restarting;
      });
      await restarting;
      // No client had to reconnect.
      expect(followers.map(({ connections }) => connections)).toEqual(followers.map(() => 1));
    },
    240_000,
  );
});
