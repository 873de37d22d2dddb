import { sql } from 'kysely';
import type { Address } from '../lib/address.ts';
import type { Db } from '../store/store.ts';
import type { BatchStatus } from '../store/tables.ts';
import { markAccepted } from './batch-outcome.ts';
import { checkpoint } from './checkpoint.ts';
import { settleCollection } from './collection-creation.ts';
import type { IssuanceKey } from './flow.ts';
import {
  applyOutcome,
  type EntryOutcome,
  type EventRow,
  outcomeColumns,
  writeOutcomes,
} from './match-events.ts';
import { completeWhenDone, lock, note, touch, transition } from './transition.ts';

/**
 * Settles an issuer's entries by its newly stored events, within the transaction that stores them. Harmless for events
 * that are late, early, repeated, out of order, or nobody's. Each issuance is locked and written once,
 * however many of its records the delivery tells of.
 */
export async function settle(trx: Db, issuer: Address, events: EventRow[]): Promise<void> {
  for (const event of events)
    if (event.type === 'COLLECTION_CREATED' || event.type === 'COLLECTION_FAILED')
      await settleCollection(trx, event);
  const outcomes = events.filter(({ type }) => type === 'SRR_ISSUED' || type === 'SRR_FAILED');
  if (outcomes.length === 0) return;
  const matched = await matchesOf(trx, issuer, outcomes);
  const placed = new Set<EventRow>();
  for (const [id, matches] of matched) {
    const sent = await settleIssuance(trx, { id, issuer }, matches);
    for (const event of sent) placed.add(event);
  }
  for (const [id, matches] of matched) {
    const strange = matches.filter(({ event }) => event.type === 'SRR_ISSUED' && !placed.has(event));
    if (strange.length > 0) await noteContradictions(trx, { id, issuer }, strange);
  }
}

interface Match {
  index: number;
  event: EventRow;
}

/**
 * Which entries the events mean: by token when both sides know it (an externalId alone could be an older
 * record's), else by externalId. What names both is nobody's who differs in one of them: a record that failed
 * and is issued again has its old token, and an externalId that is asked for twice is one entry's only. Two
 * look-ups for a whole delivery, in the order of the issuances' ids so that two deliveries cannot wait for
 * each other.
 */
async function matchesOf(trx: Db, issuer: Address, events: EventRow[]): Promise<Map<string, Match[]>> {
  const ids = events.map(({ external_id, token_id }, place) => ({
    place,
    external: external_id,
    token: token_id,
  }));
  const { rows } = await sql<{ issuance_id: string; index: number; place: number }>`
    with told as (
      select (one->>'place')::int as place, one->>'external' as external, one->>'token' as token
      from jsonb_array_elements(${JSON.stringify(ids)}::jsonb) as one
    )
    select entry.issuance_id, entry.index, told.place
    from told join gateway.issuance_entry as entry on entry.token_id = told.token
    where entry.issuer = ${issuer}
      and (told.external is null or entry.external_id = told.external)
    union
    select entry.issuance_id, entry.index, told.place
    from told join gateway.issuance_entry as entry on entry.external_id = told.external
    where entry.issuer = ${issuer}
      and (entry.token_id is null or told.token is null or entry.token_id = told.token)
      and not exists (
        select from gateway.issuance_entry as owner
        where owner.issuer = entry.issuer and owner.external_id = told.external
          and owner.token_id = told.token and owner.issuance_id <> entry.issuance_id
      )
    order by 1, 3`.execute(trx);
  const byIssuance = new Map<string, Match[]>();
  for (const { issuance_id, index, place } of rows) {
    const matches = byIssuance.get(issuance_id) ?? [];
    matches.push({ index, event: events[place] as EventRow });
    byIssuance.set(issuance_id, matches);
  }
  return byIssuance;
}

/** @returns the events that tell of entries which were sent. */
async function settleIssuance(trx: Db, key: IssuanceKey, matches: Match[]): Promise<Set<EventRow>> {
  const placed = new Set<EventRow>();
  const { id } = key;
  const row = await lock(trx, key);
  if (!row) return placed;
  checkpoint('settling', id);
  const sent = await sentEntries(trx, id, matches);
  const changed = new Set<EntryOutcome>();
  const proven = new Set<number>();
  for (const { index, event } of matches) {
    const entry = sent.get(index);
    if (!entry) continue;
    placed.add(event);
    if (applyOutcome(entry, event)) changed.add(entry);
    // Atomic batch: one minted record proves that the whole request was accepted.
    if (event.type === 'SRR_ISSUED' && entry.batchStatus !== 'ACCEPTED') proven.add(entry.batch);
  }
  for (const batch of proven) await markAccepted(trx, { issuance_id: id, index: batch });
  await writeOutcomes(trx, id, [...changed]);
  if (proven.size > 0 && row.status === 'OUTCOME_UNKNOWN')
    await transition(trx, row, 'SUBMITTING', 'a mined record proves that the request was accepted');
  if (changed.size > 0 && !(await completeWhenDone(trx, row))) await touch(trx, row);
  return placed;
}

/** A record of which the service had said that it is not issued: the status stays, and somebody must look. */
async function noteContradictions(trx: Db, key: IssuanceKey, matches: Match[]): Promise<void> {
  const row = await lock(trx, key);
  if (row?.status !== 'REJECTED') return;
  const known = await trx
    .selectFrom('issuance_history')
    .select('reason')
    .where('issuance_id', '=', row.id)
    .execute();
  // A replay tells it again.
  const told = new Set(known.map(({ reason }) => reason));
  for (const { event } of matches) {
    const reason = `the service tells that "${event.external_id ?? event.token_id}" was issued, which it had refused`;
    if (!told.has(reason)) await note(trx, row, reason);
  }
}

/** Entries of requests that were sent: an outcome of one that was not is an older record's. */
async function sentEntries(
  trx: Db,
  id: string,
  matches: Match[],
): Promise<Map<number, EntryOutcome & { batchStatus: BatchStatus }>> {
  const indexes = [...new Set(matches.map(({ index }) => index))];
  const rows = await trx
    .selectFrom('issuance_entry as entry')
    .innerJoin('issuance_batch as batch', (join) =>
      join.onRef('batch.issuance_id', '=', 'entry.issuance_id').onRef('batch.index', '=', 'entry.batch'),
    )
    .select([...outcomeColumns, 'batch.status as batchStatus'])
    .where('entry.issuance_id', '=', id)
    .where('entry.index', '=', sql<number>`any(${indexes}::int[])`)
    .where('batch.status', 'in', ['SENDING', 'UNKNOWN', 'ACCEPTED'])
    .execute();
  return new Map(rows.map((row) => [row.index, row]));
}
