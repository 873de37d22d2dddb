import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { issuerNumber } from '../../test/_util/event-store.ts';
import { withTables } from '../../test/_util/with-tables.ts';
import type { Db } from '../store/tables.ts';
import { EndpointManager, type ManageDeps } from './manage.ts';

let db: Db;
withTables((opened) => {
  db = opened;
});

it('thousands of deliveries become due in several transactions: deliveries of the issuer wait for each', async () => {
  // A retry finds the deliveries of the first run.
  await db.deleteFrom('webhook_endpoint').execute();
  const issuer = issuerNumber(1);
  const id = randomUUID();
  await sql`insert into gateway.webhook_endpoint (id, issuer, url, cursor)
    values (${id}, ${issuer}, 'https://partner.example', 0)`.execute(db);
  // A hundred of them have the same time.
  await sql`insert into gateway.webhook_delivery (id, endpoint_id, cursor, type, status, created_at)
    select gen_random_uuid(), ${id}, n, 'SRR_ISSUED', 'FAILED', now() - make_interval(secs => n / 100)
    from generate_series(1, 2500) as n`.execute(db);
  const manager = new EndpointManager({ db } as ManageDeps);
  expect(await manager.redeliver(issuer, id, { failedSince: new Date(0) })).toBe(2_500);
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*)::int as count from gateway.webhook_delivery
    group by status, xmin::text order by count`.execute(db);
  expect(rows).toEqual([
    { status: 'PENDING', count: 500 },
    { status: 'PENDING', count: 1_000 },
    { status: 'PENDING', count: 1_000 },
  ]);
});
