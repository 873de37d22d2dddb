import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import { migrate } from '../../src/store/migrate.ts';
import { olderStore } from '../_util/older-store.ts';

let drop: (() => Promise<void>) | undefined;
afterEach(() => drop?.());

it('the migration appends the missing events of outcomes that came from the subgraph', async () => {
  const { db, ...store } = await olderStore();
  drop = store.drop;
  const id = randomUUID();
  await sql`insert into gateway.issuance (id, issuer, request_id, fingerprint, batching, status)
    values (${id}, 'me', ${id}, 'f', 'ALL_OR_NOTHING', 'COMPLETED')`.execute(db);
  for (const [index, source] of ['SUBGRAPH', 'WEBHOOK', 'SUBGRAPH', 'SUBGRAPH'].entries())
    await sql`insert into gateway.issuance_entry
      (issuance_id, index, batch, issuer, external_id, status, outcome_source, payload, token_id)
      values (${id}, ${index}, 0, ${index === 3 ? 'another' : 'me'}, ${`r-${index}`}, 'ISSUED', ${source}, '{}',
        ${String(index)})`.execute(db);
  // Two records have a delivery; for one of them it came after the subgraph had settled the entry.
  for (const n of [1, 2])
    await sql`insert into gateway.event (issuer, cursor, type, kind, source, dedupe, external_id, token_id, raw)
      values ('me', ${n}, 'SRR_ISSUED', 'issue_complete', 'WEBHOOK', ${`d-${n}`}, ${`r-${n}`}, ${String(n)}, '{}')`.execute(
      db,
    );
  await sql`insert into gateway.event_head values ('me', 2)`.execute(db);
  await migrate(db);
  const { rows } = await sql`select issuer, cursor::int, source, external_id, visible, entry_index
    from gateway.event where source = 'SUBGRAPH' order by issuer`.execute(db);
  expect(rows).toEqual([
    { issuer: 'another', cursor: 1, source: 'SUBGRAPH', external_id: 'r-3', visible: true, entry_index: 3 },
    { issuer: 'me', cursor: 3, source: 'SUBGRAPH', external_id: 'r-0', visible: true, entry_index: 0 },
  ]);
  const heads = await sql`select issuer, cursor::int from gateway.event_head order by issuer`.execute(db);
  expect(heads.rows).toEqual([
    { issuer: 'another', cursor: 1 },
    { issuer: 'me', cursor: 3 },
  ]);
});
