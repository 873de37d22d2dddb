import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startFleet } from '../../_util/crash/fleet.ts';
import { issueInLines } from '../../_util/crash/issuing-lines.ts';
import { OutcomeChecks } from '../../_util/crash/outcome-checks.ts';
import { resendFailures } from '../../_util/crash/resend-failures.ts';
import { SentDeliveries, seconds } from '../../_util/crash/sent-deliveries.ts';
import { unreleasedIssuances } from '../../_util/crash/unreleased-issuances.ts';
import { forwarder } from '../../_util/forwarder.ts';
import { postgresPair } from '../../_util/postgres-pair.ts';
import { addressOf } from '../../_util/postgres-server.ts';

/** The time without a primary: a monitor has to be sure that it is gone before it promotes the standby. */
const noticedMs = 3_000;
/** After this time both replicas have running work. */
const underWayMs = 4_000;

it('no issuance or delivery is lost or duplicated when PostgreSQL fails over', async () => {
  await using pair = await postgresPair();
  await using address = await forwarder(pair.primary);
  const name = await pair.createDatabase();
  const fleet = await startFleet({
    replicas: 2,
    databaseUrl: addressOf(address.port, name),
    sandbox: { SANDBOX_HASH_DELAY_MS: '1500', SANDBOX_MINING_INTERVAL_MS: '1000' },
  });
  try {
    const over = new AbortController();
    const deliveries = new SentDeliveries(fleet, 'delivery');
    const failOver = async () => {
      await sleep(underWayMs);
      const taken = deliveries.taken;
      expect(taken).toBeGreaterThan(0);
      await pair.killPrimary();
      address.lead(undefined);
      await sleep(noticedMs);
      await pair.promote();
      address.lead(pair.standby);
      const promotedAt = performance.now();
      await expect
        .poll(() => deliveries.lastAt, { timeout: 20_000, interval: 10 })
        .toBeGreaterThan(promotedAt);
      return deliveries.lastAt - promotedAt;
    };
    const [ended, backMs] = await Promise.all([
      issueInLines(fleet, { lines: 20, issuancesOfALine: 2 }).finally(() => over.abort()),
      failOver(),
      deliveries.sendUntil(over.signal),
      resendFailures(fleet.info, over.signal),
    ]);

    const verdict = new OutcomeChecks(fleet.info);
    await verdict.expectOutcomes(ended);
    fleet.expectNoExit();
    expect(await unreleasedIssuances(fleet), 'leases that are stuck').toEqual([]);
    await deliveries.expectStoredOnce(addressOf(pair.standby, name));
    // The pool reconnects with the next request, without a wait.
    expect(backMs).toBeLessThan(5_000);
    process.stdout.write(
      `\nPostgreSQL fails over, promoted after ${seconds(noticedMs)}\n` +
        `  deliveries are taken again ${seconds(backMs)} after the promotion\n  ${deliveries}\n  ${verdict}\n\n`,
    );
  } finally {
    await fleet.stop();
  }
});
