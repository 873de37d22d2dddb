import { randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import type { Insertable } from 'kysely';
import type { Db, IssuanceBatchTable, IssuanceEntryTable, IssuanceTable } from '../../src/store/tables.ts';

type Row<Table, Required extends keyof Insertable<Table>> = Partial<Insertable<Table>> &
  Pick<Insertable<Table>, Required>;

/** The columns of an issuance of one batch that a test can set. */
interface StoredIssuance {
  issuance: Row<IssuanceTable, 'status'>;
  batch: Row<IssuanceBatchTable, 'status'>;
  entries: Row<IssuanceEntryTable, 'external_id' | 'status'>[];
}

/** Stores an issuance in one of the states that the flow leaves, and returns its id. */
export async function storeIssuance(
  db: Db,
  issuer: Address,
  { issuance, batch, entries }: StoredIssuance,
): Promise<string> {
  const id = issuance.id ?? randomUUID();
  const common = { request_id: id, fingerprint: id, batching: 'ALL_OR_NOTHING' } as const;
  await db
    .insertInto('issuance')
    .values({ id, issuer, ...common, entry_count: entries.length, ...issuance })
    .execute();
  await db
    .insertInto('issuance_batch')
    .values({ issuance_id: id, index: 0, request_id: `${id}-0`, ...batch })
    .execute();
  const own = { issuance_id: id, batch: 0, issuer, payload: '{}' };
  await db
    .insertInto('issuance_entry')
    .values(entries.map((entry, index) => ({ ...own, index, ...entry })))
    .execute();
  return id;
}
