import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import { entryKeyText } from '../../model/entry-key.ts';
import type { NewEvent } from '../../store/append-events.ts';
import type { Db } from '../../store/store.ts';
import type { DecisionState } from '../decision-table.ts';
import { decisionStateOf, type EntryState, entryStates } from '../entry-state.ts';
import type { IssuanceRow } from '../flow.ts';
import { lockAll } from '../transition.ts';

/** States, most likely first: most deliveries are about an entry that waits for its outcome. */
const likeliest: DecisionState[] = ['ACCEPTED', 'SENT', 'FAILED', 'ISSUED', 'REFUSED', 'UNSENT'];
/**
 * The same for a report of an issued record, which belongs to a single entry, so an issued one comes before a failed
 * one.
 */
const likeliestIssued: DecisionState[] = ['ACCEPTED', 'SENT', 'ISSUED', 'FAILED', 'REFUSED', 'UNSENT'];

/**
 * Finds the entries that each event may be about, by its token id, its externalId or both. Locks their issuances in
 * the order of ids, so that two deliveries cannot deadlock, and returns them too.
 */
export async function matchEntries(
  trx: Db,
  issuer: Address,
  events: NewEvent[],
): Promise<{ matched: Map<NewEvent, EntryState[]>; issuances: IssuanceRow[] }> {
  const pairs = await pairsOf(trx, issuer, events);
  const issuances = await lockAll(trx, issuer, [...new Set(pairs.map(({ issuanceId }) => issuanceId))]);
  const states = await entryStates(trx, issuer, pairs);
  const matched = new Map<NewEvent, EntryState[]>();
  for (const pair of pairs) {
    const event = events[pair.place] as NewEvent;
    const state = states.get(entryKeyText(pair));
    if (state && isOfItsTime(event, state) && !(differ(event, state) && !isAnswered(state)))
      matched.set(event, [...(matched.get(event) ?? []), state]);
  }
  for (const [event, entries] of matched) {
    const same = entries.filter((entry) => !differ(event, entry));
    if (same.length > 0) matched.set(event, same);
  }
  return { matched, issuances };
}

/** Whether an event has a token id other than its entry's: the field may hold another id of the service. */
export const differ = (event: Pick<NewEvent, 'tokenId'>, { tokenId }: EntryState): boolean =>
  event.tokenId !== null && tokenId !== null && event.tokenId !== tokenId;

/** Whether the service has the externalId from this entry. That of a failed entry may be used again elsewhere. */
const isAnswered = (entry: EntryState): boolean => /^(ACCEPTED|ISSUED)$/.test(decisionStateOf(entry));

/**
 * The entries with the most likely state for an event of this type. Of failed ones only the last: the service
 * accepts a record again only when the earlier one will not be mined.
 */
export function mostLikely(entries: EntryState[], type: NewEvent['type']): EntryState[] {
  const order = type === 'SRR_ISSUED' ? likeliestIssued : likeliest;
  const found = order.find((state) => entries.some((entry) => decisionStateOf(entry) === state));
  const alike = entries.filter((entry) => decisionStateOf(entry) === found);
  if (found !== 'FAILED') return alike;
  const last = Math.max(...alike.map(({ sentSince }) => sentSince.getTime()));
  return alike.filter(({ sentSince }) => sentSince.getTime() === last);
}

/**
 * Whether a replayed event may be about an entry. An event from before the entry was sent is about an older record
 * with the same ids. A failure from before the entry's last request is an earlier request's, and no longer counts.
 */
function isOfItsTime({ type, replayed }: NewEvent, { sentSince, lastSentAt }: EntryState): boolean {
  if (!replayed) return true;
  const countsSince = type === 'SRR_FAILED' && replayed.understood ? (lastSentAt ?? sentSince) : sentSince;
  return replayed.receivedAt >= countsSince;
}

/**
 * A record that failed and is issued again gets the same token id, so an event with both ids does not match an entry
 * with another externalId. Of several entries with an externalId, the one with the token id matches.
 */
async function pairsOf(trx: Db, issuer: Address, events: NewEvent[]) {
  const named = events.map(({ externalId, tokenId, collection }, place) => ({
    place,
    externalId,
    tokenId,
    collection,
  }));
  const { rows } = await sql<{ issuanceId: string; index: number; place: number }>`
    with named as (
      select (one->>'place')::int as place, one->>'externalId' as external, one->>'tokenId' as token,
             one->>'collection' as collection
      from jsonb_array_elements(${JSON.stringify(named)}::jsonb) as one
    )
    select entry.issuance_id as "issuanceId", entry.index, named.place
    from named join gateway.issuance_entry as entry on entry.token_id = named.token
    where entry.issuer = ${issuer}
      and (named.external is null or entry.external_id = named.external)
      and (named.collection is null or entry.collection_address = named.collection)
    union
    select entry.issuance_id, entry.index, named.place
    from named join gateway.issuance_entry as entry on entry.external_id = named.external
    where entry.issuer = ${issuer}
      and not exists (
        select from gateway.issuance_entry as owner
        where owner.issuer = entry.issuer and owner.external_id = named.external
          and owner.token_id = named.token and owner.issuance_id <> entry.issuance_id
      )`.execute(trx);
  return rows;
}
