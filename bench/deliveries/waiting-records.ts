import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../../src/store/store.ts';

/** The sandbox's limit for the records of one request. */
const issuanceSize = 250;

/**
 * Stores issuances whose records wait for their outcomes. Returns the deliveries that report these outcomes.
 */
export async function waitingRecords(db: Db, issuer: string, count: number): Promise<object[]> {
  const deliveries: object[] = [];
  for (let first = 0; first < count; first += issuanceSize) {
    const id = randomUUID();
    const size = Math.min(issuanceSize, count - first);
    await sql`
      with one as (
        insert into gateway.issuance (id, issuer, request_id, fingerprint, batching, entry_count, status)
        values (${id}, ${issuer}, ${id}, '', 'ALL_OR_NOTHING', ${size}, 'WAITING_FOR_MINING')),
      batch as (
        insert into gateway.issuance_batch (issuance_id, index, status, request_id, sent, first_sent_at, last_sent_at)
        values (${id}, 0, 'ACCEPTED', ${id}, 1, now(), now()))
      insert into gateway.issuance_entry (issuance_id, index, batch, issuer, external_id, status, payload, token_id)
      select ${id}, n, 0, ${issuer}, ${id} || n, 'WAITING_FOR_MINING', '{}', ${id} || n
      from generate_series(0, ${size - 1}) as n`.execute(db);
    for (let n = 0; n < size; n++)
      deliveries.push({ type: 'issue_complete', data: [{ externalId: `${id}${n}`, tokenId: `${id}${n}` }] });
  }
  return deliveries;
}
