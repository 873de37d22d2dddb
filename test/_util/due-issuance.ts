import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../../src/store/store.ts';

/** Adds an issuance that is due now, without a signal, and returns its id. */
export async function insertDue(db: Db): Promise<string> {
  const id = randomUUID();
  await sql`
    insert into gateway.issuance (id, issuer, request_id, fingerprint, status, next_at, batching)
    values (${id}, ${`0x${'1'.repeat(40)}`}, ${id}, 'x', 'PENDING', clock_timestamp(), 'x')`.execute(db);
  return id;
}
