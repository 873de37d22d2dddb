import { type Selectable, sql } from 'kysely';
import type { Fault } from '../lib/errors.ts';
import type { Db } from '../store/store.ts';
import type { EntryStatus, EventTable } from '../store/tables.ts';
import type { EntryRow, IssuanceRow, Token } from './flow.ts';

export type EventRow = Selectable<EventTable>;

/** How far along an entry is; an outcome only ever moves it up, so the order of deliveries is no matter. */
const rank: Record<EntryStatus, number> = {
  PENDING: 0,
  CANCELLED: 1,
  WAITING_FOR_MINING: 1,
  FAILED: 2,
  // On chain is on chain: a retried mint may follow a reported failure, never the other way round.
  ISSUED: 3,
};

/** Applies one outcome to one entry; says whether anything changed. */
export async function applyOutcome(trx: Db, entry: EntryRow, event: EventRow): Promise<boolean> {
  const status: EntryStatus = event.type === 'SRR_ISSUED' ? 'ISSUED' : 'FAILED';
  if (rank[status] <= rank[entry.status]) return false;
  const error = status === 'FAILED' ? JSON.stringify(miningFault(entry, event)) : null;
  await trx
    .updateTable('issuance_entry')
    .set({
      status,
      outcome_source: event.source,
      error,
      updated_at: sql<Date>`clock_timestamp()`,
      token_id: entry.token_id ?? event.token_id,
      collection_address: entry.collection_address ?? event.collection_address,
    })
    .where('issuance_id', '=', entry.issuance_id)
    .where('index', '=', entry.index)
    .execute();
  entry.status = status;
  return true;
}

/** Outcomes that came before the ids were known: they are in the log and match now. */
export async function matchStoredEvents(trx: Db, issuance: IssuanceRow, batch: number): Promise<void> {
  const rows = await trx
    .selectFrom('issuance_entry as entry')
    .innerJoin('event', (join) =>
      join
        .onRef('event.issuer', '=', 'entry.issuer')
        .onRef('event.token_id', '=', 'entry.token_id')
        .on('event.type', 'in', ['SRR_ISSUED', 'SRR_FAILED'])
        // An older record of the same token id cannot be this one: the batch was not sent yet.
        .on('event.received_at', '>=', issuance.created_at),
    )
    .selectAll('event')
    .select('entry.index')
    .where('entry.issuance_id', '=', issuance.id)
    .where('entry.batch', '=', batch)
    .execute();
  for (const { index, ...event } of rows) {
    const entry = await trx
      .selectFrom('issuance_entry')
      .selectAll()
      .where('issuance_id', '=', issuance.id)
      .where('index', '=', index)
      .executeTakeFirstOrThrow();
    await applyOutcome(trx, entry, event);
  }
}

/** What the index shows as minted is issued, though its webhook never came. */
export async function applyIndexed(trx: Db, issuanceId: string, token: Token): Promise<void> {
  await trx
    .updateTable('issuance_entry')
    .set({
      status: 'ISSUED',
      outcome_source: 'SUBGRAPH',
      error: null,
      updated_at: sql<Date>`clock_timestamp()`,
    })
    .where('issuance_id', '=', issuanceId)
    .where('token_id', '=', token.tokenId)
    .where('status', '!=', 'ISSUED')
    .execute();
}

const miningFault = (entry: EntryRow, event: EventRow): Fault => ({
  code: 'MINING_FAILED',
  message: `The record "${entry.external_id}" was accepted but could not be mined; it may be issued again under a new externalId.`,
  externalId: entry.external_id,
  path: ['input', 'entries', `${entry.index}`],
  ...(event.message && { upstreamMessage: event.message }),
});
