import { type Insertable, sql } from 'kysely';
import type { Fault } from '../lib/errors.ts';
import { Signals } from '../store/signals.ts';
import type { Db } from '../store/store.ts';
import type { IssuanceHistoryTable, IssuanceStatus } from '../store/tables.ts';
import { type IssuanceKey, type IssuanceRow, isFinal, type Turn } from './flow.ts';
import { LeaseLost } from './lease.ts';

/** Locks the issuance for the open transaction, and checks that the step still owns it. */
export async function lockOwned(trx: Db, turn: Turn): Promise<IssuanceRow> {
  const row = await lock(trx, turn.issuance);
  if (row?.lease_owner !== turn.owner) throw new LeaseLost();
  return row;
}

/** Nobody can hold up another issuer's work by asking for it: a row that is not the issuer's is not locked. */
export async function lock(trx: Db, { id, issuer }: IssuanceKey): Promise<IssuanceRow | undefined> {
  return trx
    .selectFrom('issuance')
    .selectAll()
    .where('id', '=', id)
    .where('issuer', '=', issuer)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * Moves a locked issuance to `status` and records why. A final status never changes again. Subscribers
 * are woken when the transaction commits.
 */
export async function transition(
  trx: Db,
  row: IssuanceRow,
  status: IssuanceStatus,
  reason: string,
  error?: Fault,
): Promise<IssuanceStatus> {
  if (isFinal(row.status)) return row.status;
  const entry: Insertable<IssuanceHistoryTable> = { issuance_id: row.id, status, reason };
  await trx.insertInto('issuance_history').values(entry).execute();
  await trx
    .updateTable('issuance')
    .set((set) => ({
      status,
      version: set('version', '+', 1),
      updated_at: sql<Date>`clock_timestamp()`,
      attempts: 0,
      ...(error && { error: JSON.stringify(error) }),
      // What is over needs neither a worker nor a credential.
      ...(isFinal(status) && {
        completed_at: sql<Date>`clock_timestamp()`,
        next_at: null,
        lease_owner: null,
        lease_until: null,
        sealed_key: null,
      }),
    }))
    .where('id', '=', row.id)
    .execute();
  row.status = status;
  await Signals.send(trx, 'issuance', row.id);
  return status;
}

/** Shows a change below the issuance (files, entries) to its subscribers. */
export async function touch(trx: Db, { id, issuer }: IssuanceKey): Promise<void> {
  await trx
    .updateTable('issuance')
    .set((set) => ({ version: set('version', '+', 1), updated_at: sql<Date>`clock_timestamp()` }))
    .where('id', '=', id)
    .where('issuer', '=', issuer)
    .execute();
  await Signals.send(trx, 'issuance', id);
}

/** Adds to the history of an issuance what does not move it. */
export async function note(trx: Db, row: IssuanceRow, reason: string): Promise<void> {
  const entry: Insertable<IssuanceHistoryTable> = { issuance_id: row.id, status: row.status, reason };
  await trx.insertInto('issuance_history').values(entry).execute();
  await touch(trx, row);
}

/** Completes an issuance whose every entry has its outcome and whose every batch has its answer. */
export async function completeWhenDone(trx: Db, row: IssuanceRow): Promise<boolean> {
  const { open, issued, failed } = await trx
    .selectFrom('issuance_entry')
    .select((select) => [
      select.fn.countAll<string>().filterWhere('status', 'in', ['PENDING', 'WAITING_FOR_MINING']).as('open'),
      select.fn.countAll<string>().filterWhere('status', '=', 'ISSUED').as('issued'),
      select.fn.countAll<string>().filterWhere('status', '=', 'FAILED').as('failed'),
    ])
    .where('issuance_id', '=', row.id)
    .executeTakeFirstOrThrow();
  const unanswered = await trx
    .selectFrom('issuance_batch')
    .select('index')
    .where('issuance_id', '=', row.id)
    .where('status', 'in', ['PENDING', 'SENDING', 'UNKNOWN'])
    .executeTakeFirst();
  if (Number(open) > 0 || unanswered) return false;
  await transition(trx, row, 'COMPLETED', `every outcome is known: ${issued} issued, ${failed} failed`);
  return true;
}
