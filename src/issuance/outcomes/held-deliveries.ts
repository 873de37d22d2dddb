import { sql } from 'kysely';
import { entryKeyText } from '../../model/entry-key.ts';
import { appendEvents, copyDedupe, isRepetition, type NewEvent } from '../../store/append-events.ts';
import { reportedOutcomes } from '../../store/events-of-issuance.ts';
import type { Db } from '../../store/store.ts';
import type { EventRow } from '../../store/tables.ts';
import { watchBatch } from '../batch-state.ts';
import { decide } from '../decision-table.ts';
import { batchStates, type EntryState, standingOf } from '../entry-state.ts';
import type { IssuanceRow } from '../flow.ts';
import { isRefusalText } from '../refusal-report.ts';
import { note } from '../transition.ts';
import { linkEvents } from './link-events.ts';
import { miningFault, type Outcome, writeOutcomes } from './outcomes.ts';

/**
 * Since which request a reported failure counts. `FIRST_SENT`: some request of the batch was accepted, so
 * each failure since the first request counts. `LAST_SENT`: the last request got 201, so the earlier ones had
 * no effect, and only failures since the last one count. `DOUBTFUL`: of these the ones that may be about another
 * request, because the record should be on chain by now and is not.
 */
export type Counting = 'FIRST_SENT' | 'LAST_SENT' | 'DOUBTFUL';

/**
 * Applies deliveries that came before the batch was known to be accepted, or before its token ids were known.
 * Appends to the log what subscribers have not seen of them. Returns whether an entry has its outcome now.
 */
export async function releaseHeld(
  trx: Db,
  issuance: IssuanceRow,
  batch: number,
  counting: Counting,
  watchMs: number,
): Promise<boolean> {
  const key = { issuance_id: issuance.id, index: batch };
  const named = sql`
    select issuance_id, index, external_id, token_id, collection_address from gateway.issuance_entry
    where issuance_id = ${issuance.id} and batch = ${batch} and issuer = ${issuance.issuer}`;
  const reported = await reportedOutcomes(trx, issuance.issuer, named, issuance.created_at);
  const deliveries = reported.filter((event) => isDoubtful(event) === (counting === 'DOUBTFUL'));
  if (deliveries.length === 0) return false;
  const entries = await batchStates(trx, issuance.issuer, key);
  const states = new Map(entries.map((entry) => [entry.index, entry]));
  const outcomes = new Map<number, [EntryState, Outcome]>();
  const toPublish: NewEvent[] = [];
  for (const { entryIndex, ...event } of deliveries) {
    const entry = states.get(entryIndex) as EntryState;
    const report = event.type === 'SRR_ISSUED' ? 'DELIVERY_ISSUED' : 'DELIVERY_FAILED';
    const consequence = decide(report, standingOf(entry));
    if (consequence !== 'ISSUED' && consequence !== 'FAILED') continue;
    if (consequence === 'FAILED' && isOfEarlierRequest(event, entry, counting)) {
      if (counting === 'LAST_SENT')
        await note(
          trx,
          issuance,
          `the failure of "${entry.externalId}" was reported of an earlier request; the last one was accepted`,
        );
      continue;
    }
    const tokenId = event.token_id ?? entry.tokenId;
    if (consequence === 'ISSUED' && tokenId === null) continue;
    const error = consequence === 'FAILED' ? miningFault(entry, event.message) : undefined;
    const collection = event.collection_address ?? entry.collection;
    outcomes.set(entryIndex, [
      entry,
      { status: consequence, source: event.source, error, tokenId, collection },
    ]);
    entry.status = consequence;
    entry.tokenId = tokenId;
    if (!event.visible) toPublish.push(copyOf(event, entry, collection));
  }
  await writeOutcomes(trx, [...outcomes.values()]);
  const linked = await linkEvents(trx, issuance.issuer, [...outcomes.values()]);
  await appendEvents(
    trx,
    issuance.issuer,
    toPublish.filter(({ entry }) => !(entry && linked.has(entryKeyText(entry)))),
  );
  if ([...outcomes.values()].some(([, { status }]) => status === 'FAILED'))
    await watchBatch(trx, key, watchMs);
  return outcomes.size > 0;
}

/** Whether a failure may be about another request than the one that was accepted. */
const isDoubtful = ({ type, dedupe, message }: EventRow): boolean =>
  type === 'SRR_FAILED' && (isRepetition(dedupe) || isRefusalText(message));

/** Whether a failure came before the last request, and that one was accepted: only its 201 has token ids. */
const isOfEarlierRequest = (
  event: EventRow,
  { lastSentAt, tokenId }: EntryState,
  counting: Counting,
): boolean =>
  (counting === 'LAST_SENT' || (counting === 'DOUBTFUL' && tokenId !== null)) &&
  lastSentAt !== null &&
  event.received_at < lastSentAt;

/** Copies a held event to the end of the log: its row keeps its position, which subscribers have passed. */
function copyOf(event: EventRow, entry: EntryState, collection: EntryState['collection']): NewEvent {
  return {
    type: event.type,
    kind: event.kind,
    source: event.source,
    dedupe: copyDedupe(event.dedupe),
    externalId: entry.externalId,
    tokenId: entry.tokenId,
    collection,
    message: event.message,
    raw: event.raw,
    entry: { issuanceId: entry.issuanceId, index: entry.index },
  };
}
