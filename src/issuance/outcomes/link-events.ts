import type { Address } from '@srr-gateway/common/address';
import { linkOutcomes } from '../../store/events-of-issuance.ts';
import type { Db } from '../../store/store.ts';
import type { EntryState } from '../entry-state.ts';
import { eventTypeOf, type Outcome } from './outcomes.ts';

/**
 * Finds outcomes that subscribers have seen by token id, before the entry of that token was known, and links
 * those events to their entries. Returns the entries as `entryKeyText`: their outcomes must not become events
 * again.
 */
export async function linkEvents(
  trx: Db,
  issuer: Address,
  outcomes: [EntryState, Outcome][],
): Promise<Set<string>> {
  const named = outcomes.flatMap(([entry, { status, tokenId, collection }]) => {
    const { issuanceId, index, externalId, sentSince } = entry;
    return tokenId === null
      ? []
      : [{ issuanceId, index, externalId, tokenId, collection, type: eventTypeOf(status), sentSince }];
  });
  return named.length === 0 ? new Set() : linkOutcomes(trx, issuer, named);
}
