import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fleet, startFleet } from '../_util/crash/fleet.ts';
import { heldIssuances } from '../_util/crash/held-issuances.ts';
import { issueInLines } from '../_util/crash/issuing-lines.ts';
import { resendFailures } from '../_util/crash/resend-failures.ts';
import { Verdict } from '../_util/crash/verdict.ts';
import { type PostgresServer, postgresServer } from '../_util/postgres-server.ts';

const everyMs = 5_000;
/** So many issuances run at any moment: each line starts its next one when its last has ended. */
const lines = 100;
const issuancesOfALine = 3;

let server: PostgresServer;
let fleet: Fleet;
beforeAll(async () => {
  server = await postgresServer();
  fleet = await startFleet({
    replicas: 2,
    databaseUrl: await server.createDatabase(),
    // Slow enough for an issuance to meet a restart or two.
    sandbox: { SANDBOX_HASH_DELAY_MS: '3000', SANDBOX_MINING_INTERVAL_MS: '2000' },
  });
});
afterAll(async () => {
  await fleet?.stop();
  await server?.remove();
});

it(`PostgreSQL restarted every ${everyMs / 1000} s under ${lines} running issuances: all end right`, async () => {
  const startedAt = Date.now();
  const over = new AbortController();
  const [ended, restarts] = await Promise.all([
    issueInLines(fleet, { lines, issuancesOfALine }).finally(() => over.abort()),
    restartUntil(over.signal),
    resendFailures(fleet.info, over.signal),
  ]);

  const verdict = new Verdict(fleet.info);
  await verdict.allTrue(ended);
  expect(ended).toHaveLength(lines * issuancesOfALine);
  expect(await heldIssuances(fleet), 'leases that are stuck').toEqual([]);
  expect(restarts).toBeGreaterThan(5);
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  process.stdout.write(
    `\nPostgreSQL restarted every ${everyMs / 1000} s under ${lines} running issuances\n` +
      `  restarts: ${restarts}, every second one as after a crash\n  ${verdict}\n  time: ${seconds} s\n\n`,
  );
});

/** Restarts the server, politely and as a crash does by turns, and counts. */
async function restartUntil(signal: AbortSignal): Promise<number> {
  for (let restarts = 0; ; restarts++) {
    await sleep(everyMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return restarts;
    await server.restart(restarts % 2 === 0 ? 'fast' : 'immediate');
    fleet.expectNoExit();
  }
}
