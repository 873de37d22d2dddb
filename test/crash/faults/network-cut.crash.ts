import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fleet, startFleet } from '../../_util/crash/fleet.ts';
import { issueInLines } from '../../_util/crash/issuing-lines.ts';
import { OutcomeChecks } from '../../_util/crash/outcome-checks.ts';
import { resendFailures } from '../../_util/crash/resend-failures.ts';
import { SentDeliveries, seconds } from '../../_util/crash/sent-deliveries.ts';
import { unreleasedIssuances } from '../../_util/crash/unreleased-issuances.ts';
import { type Direction, type Forwarder, forwarder } from '../../_util/forwarder.ts';
import type { GatewayProcess } from '../../_util/gateway-process.ts';
import { addressOf, type PostgresServer, postgresServer } from '../../_util/postgres-server.ts';

/** Longer than the half minute after which a connection without data is closed. */
const cutMs = 38_000;
/** That half minute, after the 15 seconds for which a request waits for a connection of the pool. */
const boundMs = 50_000;

let server: PostgresServer;
let network: Forwarder;
let databaseUrl: string;
let fleet: Fleet;
let cutOff: GatewayProcess;
beforeAll(async () => {
  server = await postgresServer();
  databaseUrl = await server.createDatabase();
  const { port, pathname } = new URL(databaseUrl);
  network = await forwarder(Number(port));
  const behindIt = { DATABASE_URL: addressOf(network.port, pathname.slice(1)) };
  fleet = await startFleet({
    replicas: 2,
    databaseUrl,
    replica: (index) => (index === 0 ? { env: behindIt } : {}),
    sandbox: { SANDBOX_HASH_DELAY_MS: '1500', SANDBOX_MINING_INTERVAL_MS: '1000' },
  });
  cutOff = fleet.replicas[0] as GatewayProcess;
});
afterAll(async () => {
  network?.heal();
  await fleet?.stop();
  await network?.[Symbol.asyncDispose]();
  await server?.remove();
});

const isReady = async () => (await fetch(`${cutOff.url}/health/ready`)).ok;

it.each<Direction>(['requests', 'answers'])(
  'while %s between a replica and PostgreSQL are lost, its requests fail in time, and it recovers',
  async (direction) => {
    const over = new AbortController();
    const deliveries = new SentDeliveries(fleet, `delivery-${direction}`);
    const cut = async () => {
      await sleep(3_000);
      network.cut(direction);
      const startedAt = performance.now();
      const refused = errorOfOwnWork();
      await expect.poll(isReady, { timeout: 10_000 }).toBe(false);
      const unreadyMs = performance.now() - startedAt;
      // Records come from the subgraph, and need no database.
      await fleet.callerOf(cutOff).data('{ srrs(first: 1) { edges { node { id } } } }');
      expect(await refused).toBe('UPSTREAM_UNAVAILABLE');
      const refusedMs = performance.now() - startedAt;
      await sleep(cutMs - refusedMs);
      network.heal();
      const healedAt = performance.now();
      await expect.poll(isReady, { timeout: 60_000, interval: 50 }).toBe(true);
      expect(await errorOfOwnWork()).toBeUndefined();
      return { unreadyMs, refusedMs, backMs: performance.now() - healedAt };
    };
    const [ended, times] = await Promise.all([
      issueInLines(fleet, { lines: 10, issuancesOfALine: 2, name: direction }),
      cut().finally(() => over.abort()),
      deliveries.sendUntil(over.signal),
      resendFailures(fleet.info, over.signal),
    ]);

    const verdict = new OutcomeChecks(fleet.info);
    await verdict.expectOutcomes(ended);
    fleet.expectNoExit();
    expect(await unreleasedIssuances(fleet), 'leases that are stuck').toEqual([]);
    await deliveries.expectStoredOnce(databaseUrl);
    expect(deliveries.slowestMs).toBeLessThan(boundMs);
    process.stdout.write(
      `\nThe ${direction} of one replica to PostgreSQL vanish for ${seconds(cutMs)}\n` +
        `  not ready after ${seconds(times.unreadyMs)}, a request refused after ${seconds(times.refusedMs)}, ` +
        `it works again ${seconds(times.backMs)} after the cut\n  ${deliveries}\n  ${verdict}\n\n`,
    );
  },
);

it.each<Direction>(['requests', 'answers'])(
  'a replica whose %s are lost can be stopped',
  async (direction) => {
    network.cut(direction);
    await expect.poll(isReady, { timeout: 10_000 }).toBe(false);
    const startedAt = performance.now();
    expect(await cutOff.stop('SIGTERM')).toBe(0);
    const stopMs = performance.now() - startedAt;
    network.heal();
    await cutOff.start();
    // 8 seconds of DRAIN_TIMEOUT, two for the leases and two for the connections; see docs/operate/faults.md.
    expect(stopMs).toBeLessThan(13_000);
    process.stdout.write(`\nA replica whose ${direction} vanish stops within ${seconds(stopMs)}\n\n`);
  },
);

/** The error code of an operation that needs the database; undefined when it succeeds. */
async function errorOfOwnWork(): Promise<string | undefined> {
  const { errors } = await fleet
    .callerOf(cutOff)
    .ask('{ issuances(first: 1) { edges { node { id } } } }', {});
  return errors?.[0]?.extensions?.code;
}
