import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { Fault } from '../model/errors.ts';
import { now } from '../store/database-time.ts';
import { lockLeased } from '../store/due-rows.ts';
import { lockLog } from '../store/lock-log.ts';
import { Signals } from '../store/signals.ts';
import type { Db } from '../store/store.ts';
import type { IssuanceStatus } from '../store/tables.ts';
import { type IssuanceKey, type IssuanceRow, isFinal, type StepContext } from './flow.ts';

type Change<R> = (trx: Db, row: IssuanceRow) => Promise<R>;

/**
 * Runs a transaction that holds the issuance's row.
 * @throws LeaseLost when this step no longer holds its lease.
 */
export const changeOwned = <R>({ deps, issuance, owner }: StepContext, change: Change<R>): Promise<R> =>
  deps.db
    .transaction()
    .execute(async (trx) => change(trx, await lockLeased(trx, 'issuance', issuance, owner)));

/** The same, with the lock of the issuer's log (see `lockLog`). */
export const changeWithLog = <R>({ deps, issuance, owner }: StepContext, change: Change<R>): Promise<R> =>
  deps.db.transaction().execute(async (trx) => {
    await lockLog(trx, issuance.issuer);
    return change(trx, await lockLeased(trx, 'issuance', issuance, owner));
  });

/**
 * Locks an issuance of the issuer. Never locks another issuer's row, whose work a caller must not be able to block.
 */
export async function lock(trx: Db, { id, issuer }: IssuanceKey): Promise<IssuanceRow | undefined> {
  return trx
    .selectFrom('issuance')
    .selectAll()
    .where('id', '=', id)
    .where('issuer', '=', issuer)
    .forUpdate()
    .executeTakeFirst();
}

/** Locks several of the issuer's issuances by id, so that two transactions cannot deadlock. */
export async function lockAll(trx: Db, issuer: Address, ids: string[]): Promise<IssuanceRow[]> {
  if (ids.length === 0) return [];
  return trx
    .selectFrom('issuance')
    .selectAll()
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('issuer', '=', issuer)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/**
 * Moves a locked issuance to `status` and adds the reason to its history. A final status does not change. The commit
 * wakes subscribers.
 */
export async function transition(
  trx: Db,
  row: IssuanceRow,
  status: IssuanceStatus,
  reason: string,
  error?: Fault,
): Promise<void> {
  if (isFinal(row.status)) return;
  await trx
    .with('step', (db) => db.insertInto('issuance_history').values({ issuance_id: row.id, status, reason }))
    .updateTable('issuance')
    .set((set) => ({
      status,
      version: set('version', '+', 1),
      updated_at: now,
      attempts: 0,
      ...(error && { error: JSON.stringify(error) }),
      // From here on only the subgraph is queried, without an API key, and an outcome may never come.
      ...(status === 'WAITING_FOR_MINING' && { sealed_key: null }),
      // A finished issuance needs neither a worker nor a credential.
      ...(isFinal(status) && {
        completed_at: now,
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
}

/** Signals a change of an issuance's files or entries to its subscribers. */
export async function touch(trx: Db, { id, issuer }: IssuanceKey): Promise<void> {
  await trx
    .updateTable('issuance')
    .set((set) => ({ version: set('version', '+', 1), updated_at: now }))
    .where('id', '=', id)
    .where('issuer', '=', issuer)
    .execute();
  await Signals.send(trx, 'issuance', id);
}

/**
 * Updates a locked issuance after outcomes of its entries were written, which may complete it. A REJECTED one becomes
 * COMPLETED if it has a record after all, because a failure yields to proof.
 */
export async function afterOutcomes(trx: Db, row: IssuanceRow): Promise<void> {
  if (row.status === 'REJECTED' && (await hasIssued(trx, row))) {
    await trx
      .updateTable('issuance')
      .set({ status: 'COMPLETED', error: null })
      .where('id', '=', row.id)
      .execute();
    row.status = 'COMPLETED';
    await addToHistory(trx, row, 'a record of the refused request is on chain after all');
  } else if (isFinal(row.status) || !(await moveOn(trx, row))) await touch(trx, row);
}

async function hasIssued(trx: Db, { id }: IssuanceRow): Promise<boolean> {
  const entry = await trx
    .selectFrom('issuance_entry')
    .select('index')
    .where('issuance_id', '=', id)
    .where('status', '=', 'ISSUED')
    .limit(1)
    .executeTakeFirst();
  return entry !== undefined;
}

/** Adds a line to the history of an issuance without changing its status. */
export const addToHistory = (trx: Db, row: IssuanceRow, reason: string): Promise<void> =>
  addAllToHistory(trx, row, [reason]);

/** Adds any number of lines in one statement, because a late delivery may report thousands of records. */
export async function addAllToHistory(trx: Db, row: IssuanceRow, reasons: string[]): Promise<void> {
  if (reasons.length === 0) return;
  await sql`
    insert into gateway.issuance_history (issuance_id, status, reason)
    select ${row.id}, ${row.status}, reason
    from jsonb_array_elements_text(${JSON.stringify(reasons)}::jsonb) with ordinality as lines (reason, place)
    order by place`.execute(trx);
  await touch(trx, row);
}

/** One request of several may have been refused, or accepted by what a delivery proves. */
export const waitForMining = (trx: Db, row: IssuanceRow): Promise<void> =>
  transition(
    trx,
    row,
    'WAITING_FOR_MINING',
    'no request is open any more; what was accepted waits to be mined',
  );

/**
 * Moves an issuance whose requests all have their responses: to COMPLETED when all entries have outcomes, else from
 * SUBMITTING to WAITING_FOR_MINING. Returns whether it moved.
 */
export async function moveOn(trx: Db, row: IssuanceRow): Promise<boolean> {
  const { open, issued, failed, unanswered } = await trx
    .selectFrom('issuance_entry')
    .select((select) => [
      sql<boolean>`exists (
        select from gateway.issuance_batch
        where issuance_id = ${row.id} and status in ('PENDING', 'SENDING', 'UNKNOWN'))`.as('unanswered'),
      select.fn.countAll<string>().filterWhere('status', 'in', ['PENDING', 'WAITING_FOR_MINING']).as('open'),
      select.fn.countAll<string>().filterWhere('status', '=', 'ISSUED').as('issued'),
      select.fn.countAll<string>().filterWhere('status', '=', 'FAILED').as('failed'),
    ])
    .where('issuance_id', '=', row.id)
    .executeTakeFirstOrThrow();
  if (unanswered || (Number(open) > 0 && row.status !== 'SUBMITTING')) return false;
  if (Number(open) > 0) await waitForMining(trx, row);
  else await transition(trx, row, 'COMPLETED', `every outcome is known: ${issued} issued, ${failed} failed`);
  return true;
}
