import { afterAll, beforeAll } from 'vitest';
import { checkpointSuite } from '../_util/crash/checkpoint-suite.ts';
import { startFleet } from '../_util/crash/fleet.ts';
import { randomKillSuite } from '../_util/crash/random-kill-suite.ts';
import { type PostgresServer, postgresServer } from '../_util/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await postgresServer();
});
afterAll(() => server?.remove());

const startTwo = async (sandbox: Record<string, string> = {}) =>
  startFleet({ replicas: 2, databaseUrl: await server.createDatabase(), sandbox });

checkpointSuite('one of two replicas that is killed while the other continues', {
  start: startTwo,
  revive: 'when-it-is-over',
});

randomKillSuite('two replicas on one PostgreSQL that are killed, one or both, and started again', () =>
  startTwo({ SANDBOX_HASH_DELAY_MS: '400', SANDBOX_MINING_INTERVAL_MS: '300' }),
);
