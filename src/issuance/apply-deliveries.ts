import type { Address } from '@srr-gateway/common/address';
import { entryKeyText } from '../model/entry-key.ts';
import { isRecordOutcome } from '../model/event-type.ts';
import { isRepetition, type NewEvent, repetitionDedupe } from '../store/append-events.ts';
import type { Db } from '../store/store.ts';
import { checkpoint } from './checkpoint.ts';
import { applyToCollection } from './collections/apply-delivery.ts';
import { decide, type Report } from './decision-table.ts';
import { decisionStateOf, type EntryState } from './entry-state.ts';
import { differ, matchEntries, mostLikely } from './outcomes/match-entries.ts';
import { miningFault } from './outcomes/outcomes.ts';
import { withoutRegistry } from './outcomes/registry-address.ts';
import { hideRepeats } from './outcomes/repeats.ts';
import { Settlement } from './outcomes/settlement.ts';
import { contestedEntries } from './recover/sent-entries.ts';
import { isRefusalText } from './refusal-report.ts';

/**
 * Applies deliveries by `decision-table.ts` and settles their entries, in the transaction that stores them. Late,
 * early, repeated and out-of-order deliveries, and those about no known entry, are harmless.
 * @param watchMs How long the chain is watched after a failure.
 */
export const applyDeliveries =
  (watchMs: number) =>
  async (trx: Db, issuer: Address, delivered: NewEvent[]): Promise<NewEvent[]> => {
    const events = await withoutRegistry(trx, issuer, delivered);
    const { matched, issuances } = await matchEntries(
      trx,
      issuer,
      events.filter((event) => reportOf(event) !== undefined),
    );
    for (const { id } of issuances) checkpoint('settling', id);
    const settlement = new Settlement(trx, issuer, watchMs, issuances);
    // Only for likely matches: the query is slow, and the service repeats reports.
    const likely = [...matched].flatMap(([event, entries]) =>
      isIssuedByToken(event) ? mostLikely(entries, event.type) : [],
    );
    const failed = likely.filter((one) => decisionStateOf(one) === 'FAILED');
    const competing = await contestedEntries(trx, issuer, failed.map(keyOf));
    const applied: NewEvent[] = Array(events.length);
    for (const [place, event] of proofsFirst(events))
      applied[place] = mayBeAboutCollection(event)
        ? await applyToCollection(trx, issuer, event, watchMs)
        : applyOne(event, settlement.refresh(matched.get(event) ?? []), settlement, competing);
    await settlement.write();
    const published = applied.map((event) =>
      event.entry && isRecordOutcome(event.type) && settlement.isPublished(event.entry)
        ? { ...event, visible: false }
        : event,
    );
    return hideRepeats(trx, issuer, published);
  };

/**
 * Sorts reports of issued records first in their group: each proves that its batch was accepted. Without that proof a
 * failure would be held, and releasing reads held deliveries from the log, where this one is not stored yet.
 */
function proofsFirst(events: NewEvent[]): [number, NewEvent][] {
  const isProof = ([, event]: [number, NewEvent]) => reportOf(event) === 'DELIVERY_ISSUED';
  const all = [...events.entries()];
  return [...all.filter(isProof), ...all.filter((one) => !isProof(one))];
}

/** Whether an event has a type for collections, or an unknown type and names no record. */
const mayBeAboutCollection = ({ type, externalId, tokenId }: NewEvent): boolean =>
  type === 'COLLECTION_CREATED' ||
  type === 'COLLECTION_FAILED' ||
  (type === 'UNRECOGNIZED' && externalId === null && tokenId === null);

/** The report of an event about an entry; undefined when it is not about an entry. Without ids it matches none. */
function reportOf({ type }: NewEvent): Report | undefined {
  if (type === 'SRR_ISSUED') return 'DELIVERY_ISSUED';
  if (type === 'SRR_FAILED') return 'DELIVERY_FAILED';
  return type === 'UNRECOGNIZED' ? 'DELIVERY_UNCLEAR' : undefined;
}

/** Whether an event reports an issued record by its token id alone. */
const isIssuedByToken = ({ type, externalId }: NewEvent) => type === 'SRR_ISSUED' && externalId === null;

function applyOne(
  event: NewEvent,
  matches: EntryState[],
  settlement: Settlement,
  competing: ReadonlySet<string>,
): NewEvent {
  const entries = mostLikely(matches, event.type);
  const [entry, ...others] = entries;
  const { firstReceivedAt } = event;
  if (firstReceivedAt)
    return entry && others.length === 0 ? holdRepeated(event, firstReceivedAt, entry, settlement) : event;
  const report = reportOf(event);
  if (!entry || !report) return withoutEntry(event);
  if (differ(event, entry)) return applyTo(entry, unrecognized(event), 'DELIVERY_UNCLEAR', settlement);
  // The event matches several entries and does not say which one.
  if (others.length > 0) {
    for (const one of entries) settlement.askSubgraph(one);
    return unrecognized(event);
  }
  // The record is being issued again by a request without a token id yet. The delivery may be about that one.
  if (isIssuedByToken(event) && competing.has(entryKeyText(entry))) {
    settlement.askSubgraph(entry);
    return unrecognized(event);
  }
  if (report === 'DELIVERY_ISSUED' && decisionStateOf(entry) === 'SENT' && matches.some(wasAccepted))
    return ofEarlierRequest(event, matches, settlement);
  return applyTo(entry, event, report, settlement);
}

function applyTo(entry: EntryState, event: NewEvent, report: Report, settlement: Settlement): NewEvent {
  const about = { ...event, entry: { issuanceId: entry.issuanceId, index: entry.index } };
  switch (decide(report, decisionStateOf(entry))) {
    case 'ISSUED':
      return issued(about, entry, settlement);
    case 'FAILED':
      return failed(about, entry, settlement);
    case 'HELD':
      return { ...about, visible: false };
    case 'ADD_TO_HISTORY':
      if (!event.replayed) settlement.addToHistory(entry, historyLine(report, entry));
      return { ...about, visible: false };
    case 'ASK_SUBGRAPH':
      settlement.askSubgraph(entry);
      if (report === 'DELIVERY_ISSUED' && !event.replayed)
        settlement.addToHistory(entry, historyLine(report, entry));
      return unrecognized(about);
    default:
      return decisionStateOf(entry) === 'UNSENT' ? ofUnsent(event, report, entry) : about;
  }
}

function ofUnsent(event: NewEvent, report: Report, { lastSentAt }: EntryState): NewEvent {
  // The service refused the request because a file is not ready, and the gateway will send it again.
  const isSentAgain = report === 'DELIVERY_FAILED' && lastSentAt && isRefusalText(event.message);
  return isSentAgain ? { ...event, visible: false } : withoutEntry(event);
}

/**
 * Holds a failure whose bytes first came before the last request, until its record should be on chain. It may be the
 * failure of the last request, or a retry of the first report, whose response the service did not get.
 */
function holdRepeated(
  event: NewEvent,
  firstReceivedAt: Date,
  entry: EntryState,
  settlement: Settlement,
): NewEvent {
  const consequence = decide('DELIVERY_FAILED', decisionStateOf(entry));
  const { issuanceId, index, lastSentAt } = entry;
  const isOpen = consequence === 'FAILED' || consequence === 'HELD';
  if (!isOpen || !lastSentAt || firstReceivedAt >= lastSentAt) return event;
  if (consequence === 'FAILED') settlement.askSubgraph(entry);
  const dedupe = repetitionDedupe(event.dedupe, `${issuanceId}/${index}/${lastSentAt.getTime()}`);
  return { ...event, firstReceivedAt: undefined, dedupe, entry: { issuanceId, index }, visible: false };
}

function failed(about: NewEvent, entry: EntryState, settlement: Settlement): NewEvent {
  // The success of an earlier request may have caused this failure. A replay has repetitions here.
  if (isRefusalText(about.message) || isRepetition(about.dedupe)) {
    settlement.askSubgraph(entry);
    return { ...about, visible: false };
  }
  const ids = idsOf(about, entry);
  const error = miningFault(entry, about.message);
  settlement.settle(entry, { ...ids, status: 'FAILED', source: 'WEBHOOK', error });
  return { ...about, ...ids };
}

function issued(about: NewEvent, entry: EntryState, settlement: Settlement): NewEvent {
  const ids = idsOf(about, entry);
  settlement.accept(entry);
  if (ids.tokenId !== null) {
    settlement.settle(entry, { ...ids, status: 'ISSUED', source: 'WEBHOOK' });
    return { ...about, ...ids };
  }
  // The token id is not known yet; it comes with the service's answer or from the subgraph.
  settlement.askSubgraph(entry);
  return { ...about, visible: false };
}

const keyOf = ({ issuanceId, index }: EntryState) => ({ issuanceId, index });

const wasAccepted = (entry: EntryState) => entry.batchStatus === 'ACCEPTED';

/**
 * The service accepts an externalId only once, and an earlier entry has it, so the delivery proves nothing about a
 * later request with the same externalId.
 */
function ofEarlierRequest(event: NewEvent, matches: EntryState[], settlement: Settlement): NewEvent {
  const issued = matches.find(({ status }) => status === 'ISSUED');
  for (const entry of matches) if (entry.status !== 'ISSUED') settlement.askSubgraph(entry);
  if (!issued) return unrecognized(event);
  if (!event.replayed) settlement.addToHistory(issued, historyLine('DELIVERY_ISSUED', issued));
  const { issuanceId, index } = issued;
  return { ...event, entry: { issuanceId, index }, visible: false };
}

const idsOf = (event: NewEvent, entry: EntryState) => ({
  externalId: entry.externalId,
  tokenId: event.tokenId ?? entry.tokenId,
  collection: event.collection ?? entry.collection,
});

/** An issued record without a token id cannot be an SRRIssued event. */
const withoutEntry = (event: NewEvent): NewEvent =>
  event.type === 'SRR_ISSUED' && event.tokenId === null ? unrecognized(event) : event;

const unrecognized = (event: NewEvent): NewEvent => ({ ...event, type: 'UNRECOGNIZED' });

function historyLine(report: Report, { externalId, status }: EntryState): string {
  const outcome = report === 'DELIVERY_ISSUED' ? 'was issued' : 'failed';
  if (status === 'ISSUED' && report === 'DELIVERY_ISSUED')
    return `a delivery reports again that "${externalId}" was issued`;
  if (status === 'FAILED' && report === 'DELIVERY_FAILED')
    return `a delivery reports again that "${externalId}" failed`;
  const state =
    status === 'ISSUED' ? 'which is issued' : 'which the service had refused; the subgraph is asked';
  return `a delivery reports that "${externalId}" ${outcome}, ${state}`;
}
