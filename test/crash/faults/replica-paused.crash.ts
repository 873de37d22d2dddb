import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { startFleet } from '../../_util/crash/fleet.ts';
import { issueInLines } from '../../_util/crash/issuing-lines.ts';
import { OutcomeChecks } from '../../_util/crash/outcome-checks.ts';
import { resendFailures } from '../../_util/crash/resend-failures.ts';
import { SentDeliveries, seconds } from '../../_util/crash/sent-deliveries.ts';
import { unreleasedIssuances } from '../../_util/crash/unreleased-issuances.ts';
import type { GatewayProcess } from '../../_util/gateway-process.ts';
import { postgresServer } from '../../_util/postgres-server.ts';

const pauseMs = 60_000;

it('a replica that resumes after a minute does no harm to the work of the other', async () => {
  const server = await postgresServer();
  const databaseUrl = await server.createDatabase();
  const fleet = await startFleet({
    replicas: 2,
    databaseUrl,
    replica: () => ({ env: { DIE_SIGNAL: 'SIGSTOP' } }),
    sandbox: { SANDBOX_HASH_DELAY_MS: '1500', SANDBOX_MINING_INTERVAL_MS: '1000' },
  });
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  /** The number of leases that were not renewed for four seconds; a running worker renews every three. */
  const abandoned = async () => {
    const { rows } = await client.query(
      `select from gateway.issuance where lease_until < clock_timestamp() + interval '6 seconds'`,
    );
    return rows.length;
  };
  try {
    const over = new AbortController();
    const deliveries = new SentDeliveries(fleet, 'delivery');
    const pause = async () => {
      // It stops after it has marked the request as sent, and sends the request itself a minute later.
      fleet.order.killAt('marked-as-sending');
      const paused = await stopped(fleet.replicas);
      fleet.leaveOut(paused);
      await sleep(5_000);
      const old = await abandoned();
      expect(old).toBeGreaterThan(0);
      await sleep(pauseMs - 5_000);
      paused.signal('SIGCONT');
      fleet.leaveOut(undefined);
      return old;
    };
    const [ended, old] = await Promise.all([
      issueInLines(fleet, { lines: 20, issuancesOfALine: 3 }),
      pause().finally(() => over.abort()),
      deliveries.sendUntil(over.signal),
      resendFailures(fleet.info, over.signal),
    ]);
    // Its work from before the pause ends now, and must change nothing.
    await Promise.all(fleet.replicas.map((replica) => replica.stop('SIGTERM')));
    await Promise.all(fleet.replicas.map((replica) => replica.start()));

    const verdict = new OutcomeChecks(fleet.info);
    await verdict.expectOutcomes(ended);
    expect(await unreleasedIssuances(fleet), 'leases that are stuck').toEqual([]);
    await deliveries.expectStoredOnce(databaseUrl);
    // The paused replica keeps its locks for ten seconds at most.
    expect(deliveries.longestPauseMs).toBeLessThan(20_000);
    expect(deliveries.slowestMs).toBeLessThan(20_000);
    process.stdout.write(
      `\nA replica paused for ${seconds(pauseMs)} right before it sends a batch\n` +
        `  leases that it held: ${old}\n  ${deliveries}\n  ${verdict}\n\n`,
    );
  } finally {
    await client.end();
    for (const replica of fleet.replicas) replica.signal('SIGCONT');
    await fleet.stop();
    await server.remove();
  }
});

/** The replica that has stopped at the checkpoint. */
async function stopped(replicas: GatewayProcess[]): Promise<GatewayProcess> {
  for (;;) {
    const found = replicas.find((one) => / T /.test(readFileSync(`/proc/${one.pid()}/stat`, 'utf8')));
    if (found) return found;
    await sleep(5);
  }
}
