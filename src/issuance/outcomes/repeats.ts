import type { Address } from '@srr-gateway/common/address';
import { isRecordOutcome } from '../../model/event-type.ts';
import type { NewEvent } from '../../store/append-events.ts';
import { indexesOfPublished, type ReportedOutcome } from '../../store/events-of-issuance.ts';
import type { Db } from '../../store/store.ts';

/**
 * Hides repeated outcomes of records without a known entry, and failures of issued records. Subscribers see each
 * outcome once, whether the first report is in the log or among these events.
 */
export async function hideRepeats(trx: Db, issuer: Address, events: NewEvent[]): Promise<NewEvent[]> {
  const queried = events.flatMap((event, place) => {
    const { type, externalId, tokenId, collection } = event;
    const isFirst = !event.replayed && !event.firstReceivedAt;
    if (tokenId === null || event.entry || !isFirst || !isRecordOutcome(type)) return [];
    const outcome = { type, externalId, tokenId, collection };
    return [{ place, outcome, hiddenBy: [outcome, { ...outcome, type: 'SRR_ISSUED' as const }] }];
  });
  if (queried.length === 0) return events;
  const seen = await indexesOfPublished(
    trx,
    issuer,
    queried.flatMap(({ hiddenBy }) => hiddenBy),
  );
  const shown = new ShownOutcomes();
  // Another event may name the entry of the same record: when entries were matched, none had its token yet.
  for (const { type, externalId, tokenId, collection, entry, visible } of events)
    if (entry && tokenId !== null && visible !== false) shown.add({ type, externalId, tokenId, collection });
  const repeats = new Set<number>();
  for (const [i, { place, outcome, hiddenBy }] of queried.entries())
    if (hiddenBy.some((one, j) => seen.has(i * 2 + j) || shown.has(one))) repeats.add(place);
    else shown.add(outcome);
  return events.map((event, place) => (repeats.has(place) ? { ...event, visible: false } : event));
}

/** The outcomes that subscribers see, by their ids. An id that a report leaves out matches every id. */
class ShownOutcomes {
  readonly #keys = new Set<string>();

  add({ type, tokenId, externalId, collection }: ReportedOutcome): void {
    for (const id of [externalId, anything])
      for (const address of [collection, anything])
        this.#keys.add(JSON.stringify([type, tokenId, id, address]));
  }

  has({ type, tokenId, externalId, collection }: ReportedOutcome): boolean {
    const ids = externalId === null ? [anything] : [externalId, null];
    const addresses = collection === null ? [anything] : [collection, null];
    return ids.some((id) =>
      addresses.some((address) => this.#keys.has(JSON.stringify([type, tokenId, id, address]))),
    );
  }
}

/** Wildcard in a key. */
const anything = 0;
