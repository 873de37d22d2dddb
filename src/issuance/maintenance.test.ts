import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { issuerNumber } from '../../test/_util/event-store.ts';
import { withTables } from '../../test/_util/with-tables.ts';
import type { Db } from '../store/tables.ts';
import { dropOldDetails } from './maintenance.ts';

let db: Db;
withTables((opened) => {
  db = opened;
});

it('details of old issuances are dropped a few issuances at a time, because each may have thousands of entries', async () => {
  // A retry finds the issuances of the first run.
  await db.deleteFrom('issuance').execute();
  await sql`insert into gateway.issuance (id, issuer, request_id, fingerprint, batching, status, completed_at)
    select gen_random_uuid(), ${issuerNumber(1)}, n::text, '', 'ONE_BATCH', 'COMPLETED', now() - interval '2 days'
    from generate_series(1, 25) as n`.execute(db);
  await sql`insert into gateway.issuance_entry (issuance_id, index, batch, issuer, external_id, status, payload)
    select id, 0, 0, issuer, request_id, 'ISSUED', '{"a": 1}' from gateway.issuance`.execute(db);
  await dropOldDetails({ db, timeouts: { keepDetails: 86_400_000 } }, AbortSignal.timeout(10_000));
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from gateway.issuance_entry where payload = '{}'
    group by xmin::text order by count`.execute(db);
  expect(rows.map(({ count }) => count)).toEqual([5, 10, 10]);
});
