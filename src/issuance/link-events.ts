import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import { entryKeyText } from '../model/entry-key.ts';
import type { Db } from '../store/store.ts';
import type { EntryState } from './entry-state.ts';
import { eventTypeOf, type Outcome } from './outcomes.ts';

/**
 * Finds outcomes that subscribers have seen by token id alone, before it was known whose record it was, and
 * links those events to their entries. Returns the entries as `entryKeyText`: their outcomes must not become
 * events again.
 */
export async function linkEvents(
  trx: Db,
  issuer: Address,
  outcomes: [EntryState, Outcome][],
): Promise<Set<string>> {
  const named = outcomes.flatMap(([entry, { status, tokenId }]) => {
    const { issuanceId, index, externalId, sentSince } = entry;
    return tokenId === null
      ? []
      : [{ issuanceId, index, externalId, tokenId, type: eventTypeOf(status), sentSince }];
  });
  if (named.length === 0) return new Set();
  const { rows } = await sql<Pick<EntryState, 'issuanceId' | 'index'>>`
    update gateway.event as event
    set issuance_id = (one->>'issuanceId')::uuid, entry_index = (one->>'index')::int,
        external_id = one->>'externalId'
    from jsonb_array_elements(${JSON.stringify(named)}::jsonb) as one
    where event.issuer = ${issuer} and event.token_id = one->>'tokenId' and event.type = one->>'type'
      and event.visible and event.issuance_id is null and event.external_id is null
      and event.received_at >= (one->>'sentSince')::timestamptz
    returning event.issuance_id as "issuanceId", event.entry_index as index`.execute(trx);
  return new Set(rows.map(entryKeyText));
}
