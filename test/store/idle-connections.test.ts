import { sleep } from '@srr-gateway/common/time';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closedPort } from '../_util/http-server.ts';
import { startLoneGateway } from '../_util/lone-gateway.ts';

const server = process.env.TEST_DATABASE_URL;

// The embedded database (PGlite) has no connections to count.
describe.skipIf(server === undefined)('an idle replica', () => {
  const running = new AsyncDisposableStack();
  const admin = new Client({ connectionString: server });

  beforeAll(() => admin.connect());
  afterAll(async () => {
    await running.disposeAsync();
    await admin.end();
  });

  it.concurrent.each([
    ['2 connections to PostgreSQL', 2, () => ({})],
    [
      '1 connection to PostgreSQL when SIGNALS_URL is set',
      1,
      async () => ({ SIGNALS_URL: (await closedPort()).replace('http:', 'nats:') }),
    ],
  ])('holds %s', async (_what, most, env) => {
    const gateway = await startLoneGateway(await env());
    running.defer(() => gateway.stop());
    const { database } = gateway;
    const url = new URL(database.kind === 'postgres' ? database.directUrl : '');
    // Leaves out PostgreSQL's own processes, such as autovacuum.
    const count = `select count(*)::int as n from pg_stat_activity
      where datname = $1 and backend_type = 'client backend'`;
    const connections = async () => {
      const { rows } = await admin.query<{ n: number }>(count, [url.pathname.slice(1)]);
      return rows[0]?.n;
    };
    // Start-up tasks open more connections, which close after five idle seconds.
    const startedAt = Date.now();
    const settled = async () => Date.now() - startedAt > 7_000 && connections();
    await expect.poll(settled, { timeout: 20_000 }).toBe(most);
    const seen = new Set<number | undefined>();
    // Long enough for every worker to sweep three times.
    for (const until = Date.now() + 6_000; Date.now() < until; await sleep(20)) seen.add(await connections());
    expect([...seen]).toEqual([most]);
  });
});
