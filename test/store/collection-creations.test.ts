import { sql } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import { migrate } from '../../src/store/migrate.ts';
import { olderStore } from '../_util/older-store.ts';

let drop: (() => Promise<void>) | undefined;
afterEach(() => drop?.());

it('the migration turns older collection creations into due rows', async () => {
  const { db, ...store } = await olderStore();
  drop = store.drop;
  const address = (n: number) => `0x${String(n).repeat(40)}`;
  for (const [n, status] of [
    [1, 'WAITING_FOR_MINING'],
    [2, 'ISSUED'],
    [3, 'FAILED'],
  ] as const)
    await sql`insert into gateway.collection_creation (issuer, address, name, symbol, status)
      values ('0xme', ${address(n)}, 'Works', 'W', ${status})`.execute(db);
  const salt = `0x${'AB'.repeat(32)}`;
  await sql`insert into gateway.event (issuer, cursor, type, kind, source, dedupe, collection_address, raw)
    values ('0xme', 1, 'COLLECTION_CREATED', 'k', 'WEBHOOK', 'd', ${address(2)}, ${JSON.stringify({ salt })})`.execute(
    db,
  );
  // The chain of the service's test environment is reset at times, and then a used salt can be used again.
  await sql`insert into gateway.event (issuer, cursor, type, kind, source, dedupe, collection_address, raw)
    values ('0xme', 2, 'COLLECTION_FAILED', 'k', 'WEBHOOK', 'e', ${address(3)}, ${JSON.stringify({ salt })})`.execute(
    db,
  );
  await migrate(db);
  const { rows } = await sql<Record<string, unknown>>`
    select id, request_id, address, salt, status, error, sent, next_at, outcome_source
    from gateway.collection_creation order by address`.execute(db);
  expect(rows).toMatchObject([
    { status: 'WAITING_FOR_MINING', salt: null, sent: 1, error: null, next_at: expect.any(Date) },
    { status: 'ISSUED', salt: null, outcome_source: 'WEBHOOK', next_at: null },
    {
      status: 'FAILED',
      salt: salt.toLowerCase(),
      error: { code: 'MINING_FAILED' },
      outcome_source: 'RESPONSE',
      next_at: null,
    },
  ]);
  expect(rows.map(({ request_id }) => request_id)).toEqual(rows.map(({ id }) => id));
});
