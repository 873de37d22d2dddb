import { randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { FileKey } from '../../model/file.ts';
import { Signals } from '../../store/signals.ts';
import type { Db } from '../../store/store.ts';
import type { IssuanceRow } from '../flow.ts';
import type { IssueInput } from '../input.ts';

/** The stored data of a new issuance. */
interface NewIssuance extends Pick<IssueInput, 'batching'> {
  issuer: Address;
  requestId: string;
  print: string;
  sealedKey: Buffer | null;
  entries: { index: number; batch: number; payload: object; input: unknown }[];
  files: readonly FileKey[];
}

/** Stores an issuance, due at once; undefined when one with this requestId came first. */
export async function insertIssuance(db: Db, issuance: NewIssuance): Promise<IssuanceRow | undefined> {
  const { issuer, requestId, print, batching, sealedKey, entries, files } = issuance;
  const lastBatch = entries.at(-1)?.batch ?? 0;
  return db.connection().execute(async (connection) => {
    // One statement is one transaction and one round trip; a single parameter has all entries.
    const { rows } = await sql<IssuanceRow>`
      with created as (
        insert into gateway.issuance
          (id, issuer, request_id, fingerprint, batching, entry_count, status, sealed_key, next_at)
        values (${randomUUID()}, ${issuer}, ${requestId}, ${print}, ${batching}, ${entries.length},
          'WAITING_FOR_FILES', ${sealedKey}, now())
        on conflict (issuer, request_id) do nothing
        returning *
      ), batch as (
        insert into gateway.issuance_batch (issuance_id, index, status, request_id)
        select id, index, 'PENDING', id || '-' || index
        from created, generate_series(0, ${lastBatch}::int) as index
      ), entry as (
        insert into gateway.issuance_entry
          (issuance_id, index, batch, issuer, external_id, status, payload, input)
        select id, (row->>'index')::int, (row->>'batch')::int, issuer,
          row->'payload'->>'externalId', 'PENDING', row->'payload', row->'input'
        from created, jsonb_array_elements(${JSON.stringify(entries)}::jsonb) as row
      ), file as (
        insert into gateway.issuance_file (issuance_id, category, filename)
        select id, row->>'category', row->>'filename'
        from created, jsonb_array_elements(${JSON.stringify(files)}::jsonb) as row
      ), history as (
        insert into gateway.issuance_history (issuance_id, status, reason)
        select id, status, 'asked for by the issuer' from created
      )
      select * from created`.execute(connection);
    if (rows.length > 0) await Signals.send(connection, 'due', 'issuance');
    return rows[0];
  });
}
