import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
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

/** The limit of the process; half of the files are for callers. */
const maxOpenFiles = 300;
/** The number of callers that send nothing, and reconnect at once when they are cut off. */
const idlers = 400;

it('a gateway without free file descriptors refuses callers, continues its work, and recovers', async () => {
  const server = await postgresServer();
  const databaseUrl = await server.createDatabase();
  const fleet = await startFleet({
    databaseUrl,
    replica: () => ({
      wrapper: ['prlimit', `--nofile=${maxOpenFiles}:${maxOpenFiles}`],
      env: { LOG_LEVEL: 'warn' },
    }),
    sandbox: { SANDBOX_HASH_DELAY_MS: '4000', SANDBOX_MINING_INTERVAL_MS: '500' },
  });
  const gateway = fleet.replicas[0] as GatewayProcess;
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const count = async (where: string) => {
    const { rows } = await client.query(`select from gateway.issuance where ${where}`);
    return rows.length;
  };
  try {
    const over = new AbortController();
    const deliveries = new SentDeliveries(fleet, 'delivery');
    const flooding = async () => {
      await expect.poll(() => count('true'), { timeout: 20_000 }).toBe(8);
      const before = await count('completed_at is not null');
      const flood = new Flood(gateway);
      await expect.poll(() => isReady(gateway), { timeout: 10_000 }).toBe(false);
      // Work goes on over the open connections to the database, the service and the subgraph.
      await expect.poll(() => count('completed_at is not null'), { timeout: 40_000 }).toBeGreaterThan(before);
      await expect.poll(() => gateway.output(), { timeout: 10_000 }).toContain('ulimit -n');
      flood.end();
      const endedAt = performance.now();
      await expect.poll(() => isReady(gateway), { timeout: 30_000, interval: 20 }).toBe(true);
      return { refused: flood.refused, backMs: performance.now() - endedAt };
    };
    const [ended, { refused, backMs }] = await Promise.all([
      issueInLines(fleet, { lines: 8, issuancesOfALine: 1 }),
      flooding().finally(() => over.abort()),
      deliveries.sendUntil(over.signal),
      resendFailures(fleet.info, over.signal),
    ]);

    const verdict = new OutcomeChecks(fleet.info);
    await verdict.expectOutcomes(ended);
    fleet.expectNoExit();
    expect(gateway.output()).not.toMatch(/EMFILE|too many open files/);
    expect(await unreleasedIssuances(fleet), 'leases that are stuck').toEqual([]);
    await deliveries.expectStoredOnce(databaseUrl);
    process.stdout.write(
      `\n${idlers} idle callers of a gateway that may open ${maxOpenFiles} files\n` +
        `  ${refused} connections refused; ready again ${seconds(backMs)} after they left\n  ${deliveries}\n  ${verdict}\n\n`,
    );
  } finally {
    await client.end();
    await fleet.stop();
    await server.remove();
  }
});

/** Requests the readiness over a connection of its own, like a probe. */
const isReady = ({ url }: GatewayProcess): Promise<boolean> =>
  new Promise((resolve) => {
    get(`${url}/health/ready`, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });

/** Idle connections that are opened again when they are closed. */
class Flood {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #over = false;
  refused = 0;

  constructor({ url }: GatewayProcess) {
    this.#port = Number(new URL(url).port);
    for (let n = 0; n < idlers; n++) this.#open();
  }

  #open(): void {
    if (this.#over) return;
    const socket = connect(this.#port, '127.0.0.1');
    this.#sockets.add(socket);
    socket.on('error', () => {}).resume();
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.refused++;
      setTimeout(() => this.#open(), 200);
    });
  }

  end(): void {
    this.#over = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}
