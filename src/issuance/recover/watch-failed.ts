import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import { entryKeyText } from '../../model/entry-key.ts';
import { recordKeyText } from '../../model/record.ts';
import { ago } from '../../store/database-time.ts';
import { lockLog } from '../../store/lock-log.ts';
import type { Db } from '../../store/store.ts';
import type { EntryRow, FlowDeps } from '../flow.ts';
import { type Found, settleIndexed } from '../outcomes/settle-indexed.ts';
import { ContentSearch } from './content-search.ts';
import { entriesOnChain } from './entries-on-chain.ts';
import { contestedEntries, type SentEntry, sentEntries } from './sent-entries.ts';
import { takenTokens } from './token-ownership.ts';

/** The most records that one request to the subgraph returns, and the most payloads in memory. */
const pageSize = 1_000;

type WatchDeps = Pick<FlowDeps, 'db' | 'files' | 'mintedOf' | 'mintedSince'> & {
  timeouts: { failureWatch: number };
};
const keyOf = ({ issuance_id: issuanceId, index }: EntryRow) => ({ issuanceId, index });
type WatchedFound = { entry: SentEntry; record: Found['record'] };

/**
 * Queries the subgraph for failed records whose request may have been processed. Those that it shows become ISSUED,
 * because a failure yields to proof on chain.
 * @throws The first error, after all issuers were searched.
 */
export async function watchFailed(deps: WatchDeps, signal: AbortSignal): Promise<void> {
  const issuers = await deps.db
    .selectFrom('issuance_batch as batch')
    .innerJoin('issuance', 'issuance.id', 'batch.issuance_id')
    .select('issuance.issuer')
    .distinct()
    .where('batch.watch_until', '>', ago(0))
    .execute();
  const faults: unknown[] = [];
  for (const { issuer } of issuers) {
    signal.throwIfAborted();
    // Continue with the other issuers after an error.
    await watchIssuer(deps, issuer, signal).catch((fault: unknown) => faults.push(fault));
  }
  if (faults.length > 0) throw faults[0];
}

async function watchIssuer(deps: WatchDeps, issuer: Address, signal: AbortSignal): Promise<void> {
  const byToken: WatchedFound[] = [];
  const byContent = new ContentSearch(deps, issuer, signal);
  for (let after: SentEntry | undefined; ; ) {
    const page = await failedOf(deps.db, issuer, after);
    const accepted = page.filter((entry) => entry.token_id !== null);
    byToken.push(...(await entriesOnChain(deps, accepted, signal)));
    await byContent.compare(page);
    after = page.at(-1);
    if (page.length < pageSize) break;
  }
  // The service accepts a record again only when the earlier one will not be mined, so the last one counts.
  const found = [...byToken.reverse(), ...(await byContent.found())];
  if (found.length === 0) return;
  await deps.db.transaction().execute(async (trx) => {
    // One search of an issuer at a time, so that two do not claim the same record.
    await lockLog(trx, issuer);
    const tokens = found.map(({ record }) => record);
    const taken = await takenTokens(trx, issuer, tokens);
    const contested = await contestedEntries(
      trx,
      issuer,
      found.map(({ entry }) => keyOf(entry)),
    );
    const own = found.filter(({ entry, record }) => {
      const text = recordKeyText(record);
      const isFree = !taken.has(text) && !contested.has(entryKeyText(keyOf(entry)));
      if (isFree) taken.add(text);
      return isFree;
    });
    await settleIndexed(trx, issuer, own, deps.timeouts.failureWatch);
  });
}

/** A page of watched, failed entries, oldest request first. */
function failedOf(db: Db, issuer: Address, after: SentEntry | undefined): Promise<SentEntry[]> {
  let query = sentEntries(db, issuer)
    .where('entry.status', '=', 'FAILED')
    .where('batch.watch_until', '>', ago(0))
    .where('batch.first_sent_at', 'is not', null)
    .orderBy('batch.first_sent_at')
    .orderBy('entry.issuance_id')
    .orderBy('entry.index')
    .limit(pageSize);
  if (after)
    query = query.where(
      sql<boolean>`(batch.first_sent_at, entry.issuance_id, entry.index)
        > (${after.sentSince}, ${after.issuance_id}, ${after.index})`,
    );
  return query.execute();
}
