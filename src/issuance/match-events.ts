import { type Selectable, sql } from 'kysely';
import type { Fault } from '../lib/errors.ts';
import type { Db } from '../store/store.ts';
import type { EntryStatus, EventTable, OutcomeSource } from '../store/tables.ts';
import type { EntryRow, IssuanceRow, Token } from './flow.ts';

export type EventRow = Selectable<EventTable>;

/** As much of an entry as an outcome touches; payloads are large and stay in the store. */
export type EntryOutcome = Pick<
  EntryRow,
  'index' | 'batch' | 'external_id' | 'status' | 'token_id' | 'collection_address'
> & { outcome_source?: OutcomeSource; error?: Fault | null };

export const outcomeColumns = [
  'entry.index',
  'entry.batch',
  'entry.external_id',
  'entry.status',
  'entry.token_id',
  'entry.collection_address',
] as const;

/** How far along an entry is; an outcome only ever moves it up, so the order of deliveries is no matter. */
const rank: Record<EntryStatus, number> = {
  PENDING: 0,
  CANCELLED: 1,
  WAITING_FOR_MINING: 1,
  FAILED: 2,
  // On chain is on chain: a retried mint may follow a reported failure, never the other way round.
  ISSUED: 3,
};

/** Moves an entry (in memory) by one outcome; says whether anything changed. */
export function applyOutcome(entry: EntryOutcome, event: EventRow): boolean {
  const status: EntryStatus = event.type === 'SRR_ISSUED' ? 'ISSUED' : 'FAILED';
  if (rank[status] <= rank[entry.status]) return false;
  entry.status = status;
  entry.outcome_source = event.source;
  entry.error = status === 'FAILED' ? miningFault(entry, event) : null;
  entry.token_id ??= event.token_id;
  entry.collection_address ??= event.collection_address;
  return true;
}

/** Writes outcomes of one issuance, in one statement however many they are. */
export async function writeOutcomes(trx: Db, issuanceId: string, entries: EntryOutcome[]): Promise<void> {
  if (entries.length === 0) return;
  const values = entries.map(({ index, status, outcome_source, error, token_id, collection_address }) => ({
    index,
    status,
    source: outcome_source,
    error: error ?? null,
    token: token_id,
    collection: collection_address,
  }));
  await sql`
    update gateway.issuance_entry as entry set
      status = outcome->>'status',
      outcome_source = outcome->>'source',
      error = nullif(outcome->'error', 'null'),
      token_id = outcome->>'token',
      collection_address = outcome->>'collection',
      updated_at = clock_timestamp()
    from jsonb_array_elements(${JSON.stringify(values)}::jsonb) as outcome
    where entry.issuance_id = ${issuanceId} and entry.index = (outcome->>'index')::int`.execute(trx);
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
        // A record that failed and is issued again under another externalId has its old token.
        .on((on) =>
          on.or([
            on('event.external_id', 'is', null),
            on('event.external_id', '=', on.ref('entry.external_id')),
          ]),
        )
        // An older record of the same token id cannot be this one: the batch was not sent yet.
        .on('event.received_at', '>=', issuance.created_at),
    )
    .selectAll('event')
    .select(['entry.index', 'entry.batch', 'entry.status', 'entry.external_id as entryExternalId'])
    .where('entry.issuance_id', '=', issuance.id)
    .where('entry.batch', '=', batch)
    .orderBy('event.cursor')
    .execute();
  const touched = new Map<number, EntryOutcome>();
  for (const { index, status, entryExternalId, batch: number, ...event } of rows) {
    const entry: EntryOutcome = touched.get(index) ?? {
      index,
      batch: number,
      external_id: entryExternalId,
      status,
      token_id: event.token_id,
      collection_address: event.collection_address,
    };
    if (applyOutcome(entry, event)) touched.set(index, entry);
  }
  await writeOutcomes(trx, issuance.id, [...touched.values()]);
}

/** What the index shows as minted is issued, though its webhook never came. */
export async function applyIndexed(trx: Db, issuanceId: string, tokens: Token[]): Promise<void> {
  const tokenIds = tokens.map(({ tokenId }) => tokenId);
  await trx
    .updateTable('issuance_entry')
    .set({
      status: 'ISSUED',
      outcome_source: 'SUBGRAPH',
      error: null,
      updated_at: sql<Date>`clock_timestamp()`,
    })
    .where('issuance_id', '=', issuanceId)
    .where('token_id', '=', sql<string>`any(${tokenIds}::text[])`)
    .where('status', '!=', 'ISSUED')
    .execute();
}

const miningFault = (entry: EntryOutcome, event: EventRow): Fault => ({
  code: 'MINING_FAILED',
  message: `The record "${entry.external_id}" was accepted but could not be mined; it may be issued again under a new externalId.`,
  externalId: entry.external_id,
  path: ['input', 'entries', `${entry.index}`],
  ...(event.message && { upstreamMessage: event.message }),
});
