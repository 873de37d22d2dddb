import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fleet, startFleet } from '../_util/crash/fleet.ts';
import { issueInLines } from '../_util/crash/issuing-lines.ts';
import { OutcomeChecks } from '../_util/crash/outcome-checks.ts';
import { resendFailures } from '../_util/crash/resend-failures.ts';
import { unreleasedIssuances } from '../_util/crash/unreleased-issuances.ts';
import { type PostgresServer, postgresServer } from '../_util/postgres-server.ts';

const everyMs = 5_000;
/** The number of issuances that run at the same time: each line starts the next one when one has ended. */
const lines = 100;
const issuancesOfALine = 3;

let server: PostgresServer;
let fleet: Fleet;
beforeAll(async () => {
  server = await postgresServer();
  fleet = await startFleet({
    replicas: 2,
    databaseUrl: await server.createDatabase(),
    // These are slow enough for an issuance to see one or two restarts.
    sandbox: { SANDBOX_HASH_DELAY_MS: '3000', SANDBOX_MINING_INTERVAL_MS: '2000' },
  });
});
afterAll(async () => {
  await fleet?.stop();
  await server?.remove();
});

it(`${lines} issuances all end correctly while PostgreSQL restarts every ${everyMs / 1000} s`, async () => {
  const startedAt = Date.now();
  const over = new AbortController();
  const [ended, restarts] = await Promise.all([
    issueInLines(fleet, { lines, issuancesOfALine }).finally(() => over.abort()),
    restartUntil(over.signal),
    resendFailures(fleet.info, over.signal),
  ]);

  const verdict = new OutcomeChecks(fleet.info);
  await verdict.expectOutcomes(ended);
  expect(ended).toHaveLength(lines * issuancesOfALine);
  expect(await unreleasedIssuances(fleet), 'leases that are stuck').toEqual([]);
  expect(restarts).toBeGreaterThan(5);
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  process.stdout.write(
    `\nPostgreSQL restarted every ${everyMs / 1000} s under ${lines} running issuances\n` +
      `  restarts: ${restarts}, every second one as after a crash\n  ${verdict}\n  time: ${seconds} s\n\n`,
  );
});

/** Restarts the server, alternately with a shutdown and like a crash, and returns the count. */
async function restartUntil(signal: AbortSignal): Promise<number> {
  for (let restarts = 0; ; restarts++) {
    await sleep(everyMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return restarts;
    await server.restart(restarts % 2 === 0 ? 'fast' : 'immediate');
    fleet.expectNoExit();
  }
}
