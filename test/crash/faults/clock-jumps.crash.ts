import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { fakedClock } from '../../_util/crash/faked-clock.ts';
import { startFleet } from '../../_util/crash/fleet.ts';
import { issueInLines } from '../../_util/crash/issuing-lines.ts';
import { type Ended, OutcomeChecks } from '../../_util/crash/outcome-checks.ts';
import { resendFailures } from '../../_util/crash/resend-failures.ts';
import { SentDeliveries, seconds } from '../../_util/crash/sent-deliveries.ts';
import { unreleasedIssuances } from '../../_util/crash/unreleased-issuances.ts';
import type { GatewayProcess } from '../../_util/gateway-process.ts';
import { postgresServer } from '../../_util/postgres-server.ts';

/** After this time issuances are running, and wait for their files. */
const underWayMs = 1_500;
/** The usual time plus a margin: a deadline or a pause by the wrong clock would take an hour. */
const phaseMs = 90_000;

it('no deadline changes when the clock of one replica jumps by an hour, forwards and backwards', async () => {
  const server = await postgresServer();
  const databaseUrl = await server.createDatabase();
  const clock = fakedClock();
  const fleet = await startFleet({
    replicas: 2,
    databaseUrl,
    replica: (index) => (index === 0 ? { env: clock.env } : {}),
    sandbox: { SANDBOX_HASH_DELAY_MS: '3000', SANDBOX_MINING_INTERVAL_MS: '500' },
  });
  const over = new AbortController();
  try {
    const jumping = fleet.replicas[0] as GatewayProcess;
    const deliveries = new SentDeliveries(fleet, 'delivery');
    const background = [deliveries.sendUntil(over.signal), resendFailures(fleet.info, over.signal)];
    const ended: Ended[] = [];
    const figures: string[] = [];
    for (const [name, hours] of [
      ['ahead', 1],
      ['behind', -1],
      ['right', 0],
    ] as const) {
      const startedAt = performance.now();
      const issuing = issueInLines(fleet, { lines: 12, issuancesOfALine: 1, name });
      await sleep(underWayMs);
      clock.set(hours);
      // The header changes once a second, so the default timeout of a poll, a second, is too short.
      await expect.poll(() => hoursOff(jumping), { timeout: 10_000 }).toBe(hours);
      ended.push(...(await issuing));
      const ms = performance.now() - startedAt;
      expect(ms).toBeLessThan(phaseMs);
      figures.push(`${name}: ${seconds(ms)}`);
    }
    over.abort();
    await Promise.all(background);

    const verdict = new OutcomeChecks(fleet.info);
    await verdict.expectOutcomes(ended);
    fleet.expectNoExit();
    expect(await unreleasedIssuances(fleet), 'leases that are stuck').toEqual([]);
    await deliveries.expectStoredOnce(databaseUrl);
    process.stdout.write(
      `\nThe clock of one replica jumps under 12 issuances, each time; they took ${figures.join(', ')}\n` +
        `  ${deliveries}\n  ${verdict}\n\n`,
    );
  } finally {
    over.abort();
    await fleet.stop();
    clock.remove();
    await server.remove();
  }
});

/** The error of the clock, by the Date header of a response, which changes once a second. */
async function hoursOff({ url }: GatewayProcess): Promise<number> {
  const { headers } = await fetch(`${url}/health/live`);
  return Math.round((Date.parse(headers.get('date') ?? '') - Date.now()) / 3_600_000) || 0;
}
