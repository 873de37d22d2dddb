import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { Fault } from '../../model/errors.ts';
import type { EventType } from '../../model/event-type.ts';
import { afterMiningFailed } from '../../model/mining-failed.ts';
import type { NewEvent } from '../../store/append-events.ts';
import { linkOutcomes } from '../../store/events-of-issuance.ts';
import type { Db } from '../../store/store.ts';
import type { EventSource } from '../../store/tables.ts';
import type { EntryState } from '../entry-state.ts';

/** The outcome of one record, and its source. */
export interface Outcome {
  status: 'ISSUED' | 'FAILED';
  source: EventSource;
  /** Why it failed. */
  error?: Fault | undefined;
  /** Null when it is not known. */
  tokenId: string | null;
  collection: Address | null;
  metadataCID?: string | null | undefined;
}

/** Writes any number of outcomes in one statement. Known ids are kept. */
export async function writeOutcomes(trx: Db, outcomes: [EntryState, Outcome][]): Promise<void> {
  if (outcomes.length === 0) return;
  const values = outcomes.map(([{ issuanceId, index }, outcome]) => ({ issuanceId, index, ...outcome }));
  await sql`
    update gateway.issuance_entry as entry set
      status = outcome->>'status',
      outcome_source = outcome->>'source',
      error = outcome->'error',
      token_id = coalesce(entry.token_id, outcome->>'tokenId'),
      collection_address = coalesce(entry.collection_address, outcome->>'collection'),
      metadata_cid = coalesce(entry.metadata_cid, outcome->>'metadataCID'),
      updated_at = clock_timestamp()
    from jsonb_array_elements(${JSON.stringify(values)}::jsonb) as outcome
    where entry.issuance_id = (outcome->>'issuanceId')::uuid and entry.index = (outcome->>'index')::int`.execute(
    trx,
  );
}

/**
 * Finds outcomes that subscribers saw by token id before its entry was known, and links those events to their
 * entries. Returns the entries as `entryKeyText`, because their outcomes must not become events again.
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

const eventTypeOf = (status: Outcome['status']): EventType =>
  status === 'ISSUED' ? 'SRR_ISSUED' : 'SRR_FAILED';

/** The event of an outcome that no delivery reported. The log accepts it once for each entry and status. */
export function outcomeEvent({ issuanceId, index, externalId }: EntryState, outcome: Outcome): NewEvent {
  const { status, source, error, tokenId, collection } = outcome;
  return {
    type: eventTypeOf(status),
    kind: source === 'RESPONSE' ? 'response' : 'index',
    source,
    dedupe: `outcome:${issuanceId}/${index}:${status}`,
    externalId,
    tokenId,
    collection,
    message: error?.upstreamMessage ?? null,
    raw: { externalId, tokenId, collectionContractAddress: collection, ...(error && { error }) },
    entry: { issuanceId, index },
  };
}

/**
 * The error of an entry whose mining failed. `upstreamMessage` is the text of the delivery, if it has one.
 */
export const miningFault = ({ externalId, index }: EntryState, upstreamMessage: string | null): Fault => ({
  code: 'MINING_FAILED',
  message: `The service accepted the record "${externalId}" and reports that it could not be mined. ${afterMiningFailed}`,
  externalId,
  path: ['input', 'entries', `${index}`],
  ...(upstreamMessage !== null && { upstreamMessage }),
});
