import { sql } from 'kysely';
import { entryKeyText } from '../../model/entry-key.ts';
import { appendEvents, copyDedupe, isRepetition, type NewEvent } from '../../store/append-events.ts';
import { reportedOutcomes } from '../../store/events-of-issuance.ts';
import type { Db } from '../../store/store.ts';
import type { EventRow } from '../../store/tables.ts';
import { watchBatch } from '../batch-state.ts';
import { decide } from '../decision-table.ts';
import { batchStates, decisionStateOf, type EntryState } from '../entry-state.ts';
import type { IssuanceRow } from '../flow.ts';
import { isRefusalText } from '../refusal-report.ts';
import { addAllToHistory } from '../transition.ts';
import { differ } from './match-entries.ts';
import { linkEvents, miningFault, type Outcome, writeOutcomes } from './outcomes.ts';

/**
 * Why held deliveries are released, which decides which of their failures count.
 *
 * - `SOME_REQUEST_ACCEPTED`: each failure since the first request.
 * - `LAST_REQUEST_ACCEPTED`: failures since the last request. It was answered 201, so earlier requests had no effect.
 * - `MINING_OVERDUE`: failures that may be about another request. The record should be on chain by now and is not.
 */
export type ReleaseReason = 'SOME_REQUEST_ACCEPTED' | 'LAST_REQUEST_ACCEPTED' | 'MINING_OVERDUE';

/**
 * Applies deliveries that came before the batch was known to be accepted, or before its token ids were known. Appends
 * to the log what subscribers have not seen. Returns whether an entry got its outcome.
 */
export async function releaseHeld(
  trx: Db,
  issuance: IssuanceRow,
  batch: number,
  reason: ReleaseReason,
  watchMs: number,
): Promise<boolean> {
  const key = { issuance_id: issuance.id, index: batch };
  const named = sql`
    select issuance_id, index, batch, external_id, token_id, collection_address from gateway.issuance_entry
    where issuance_id = ${issuance.id} and batch = ${batch} and issuer = ${issuance.issuer}`;
  const reported = await reportedOutcomes(trx, issuance.issuer, named, issuance.created_at);
  const deliveries = reported.filter((event) => mayBeOfOtherRequest(event) === (reason === 'MINING_OVERDUE'));
  if (deliveries.length === 0) return false;
  const entries = await batchStates(trx, issuance.issuer, key);
  const states = new Map(entries.map((entry) => [entry.index, entry]));
  await appendEvents(
    trx,
    issuance.issuer,
    deliveries.flatMap((event) => ofOtherRecord(event, states.get(event.entryIndex) as EntryState, reason)),
  );
  const outcomes = new Map<number, [EntryState, Outcome]>();
  const toPublish: NewEvent[] = [];
  const notes: string[] = [];
  for (const { entryIndex, ...event } of deliveries) {
    const entry = states.get(entryIndex) as EntryState;
    const outcome = outcomeOf(event, entry);
    if (!outcome) continue;
    if (outcome.status === 'FAILED' && isOfEarlierRequest(event, entry, reason)) {
      notes.push(
        `the failure of "${entry.externalId}" was reported of an earlier request; the last one was accepted`,
      );
      continue;
    }
    outcomes.set(entryIndex, [entry, outcome]);
    entry.status = outcome.status;
    entry.tokenId = outcome.tokenId;
    if (!event.visible) toPublish.push(copyOf(event, entry, outcome.collection));
  }
  // Only once, when the request is accepted, or each later search would note them again.
  if (reason === 'LAST_REQUEST_ACCEPTED') await addAllToHistory(trx, issuance, notes);
  const settled = [...outcomes.values()];
  await writeOutcomes(trx, settled);
  const linked = await linkEvents(trx, issuance.issuer, settled);
  await appendEvents(
    trx,
    issuance.issuer,
    toPublish.filter(({ entry }) => !(entry && linked.has(entryKeyText(entry)))),
  );
  if (settled.some(([, { status }]) => status === 'FAILED')) await watchBatch(trx, key, watchMs);
  return settled.length > 0;
}

/**
 * What subscribers get of a delivery that names another token id than its entry has now: it settles nothing, as one
 * that comes when the id is known.
 */
function ofOtherRecord(event: EventRow, entry: EntryState, reason: ReleaseReason): NewEvent[] {
  if (!differ({ tokenId: event.token_id }, entry)) return [];
  if (event.visible || isOfEarlierRequest(event, entry, reason)) return [];
  const copy = copyOf(event, entry, event.collection_address);
  return [{ ...copy, type: 'UNRECOGNIZED', tokenId: event.token_id }];
}

/** The outcome that a delivery gives to its entry; undefined when it gives none. */
function outcomeOf(event: EventRow, entry: EntryState): Outcome | undefined {
  if (differ({ tokenId: event.token_id }, entry)) return undefined;
  const report = event.type === 'SRR_ISSUED' ? 'DELIVERY_ISSUED' : 'DELIVERY_FAILED';
  const status = decide(report, decisionStateOf(entry));
  const tokenId = event.token_id ?? entry.tokenId;
  const collection = event.collection_address ?? entry.collection;
  const { source } = event;
  if (status === 'FAILED')
    return { status, source, error: miningFault(entry, event.message), tokenId, collection };
  return status === 'ISSUED' && tokenId !== null ? { status, source, tokenId, collection } : undefined;
}

/** Whether a failure may be about a request other than the accepted one. */
const mayBeOfOtherRequest = ({ type, dedupe, message }: EventRow): boolean =>
  type === 'SRR_FAILED' && (isRepetition(dedupe) || isRefusalText(message));

/** Whether a failure came before the last request, which was accepted: only a 201 brings token ids. */
const isOfEarlierRequest = (
  event: EventRow,
  { lastSentAt, tokenId }: EntryState,
  reason: ReleaseReason,
): boolean =>
  (reason === 'LAST_REQUEST_ACCEPTED' || (reason === 'MINING_OVERDUE' && tokenId !== null)) &&
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
