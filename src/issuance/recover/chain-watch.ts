import { type Selectable, sql } from 'kysely';
import { recordKeyOfRow, recordKeyText } from '../../model/record.ts';
import { ago, now } from '../../store/database-time.ts';
import type { Db } from '../../store/store.ts';
import type { IssuanceEntryTable } from '../../store/tables.ts';
import type { FlowDeps } from '../flow.ts';
import { addAllToHistory, lock } from '../transition.ts';

/** The most records that one request to the subgraph can answer. */
const pageSize = 1_000;

const columns = [
  'issuance_id',
  'issuer',
  'index',
  'external_id',
  'token_id',
  'collection_address',
  'indexed_at_block',
  'removed_at',
] as const;
/** Dependencies of the watch. */
type WatchDeps = Pick<FlowDeps, 'db' | 'log' | 'mintedOf'> & { timeouts: { reorgWatch: number } };
type Watched = Pick<Selectable<IssuanceEntryTable>, (typeof columns)[number]>;

/**
 * Queries the subgraph again for records issued within REORG_WATCH. If it lacks a record at the height where it
 * showed it, or later, a reorganisation has dropped the record's block: the record is marked as removed until it is
 * mined again. Its final status stays, because the service reported it.
 */
export async function watchChain(deps: WatchDeps, signal: AbortSignal): Promise<void> {
  let after: Watched | undefined;
  do {
    const page = await recentlyIssued(deps, after);
    if (page.length === 0) return;
    const tokens = page.map(recordKeyOfRow);
    const { block, minted } = await deps.mintedOf(tokens, signal);
    if (block !== undefined) await markMoved(deps, page, block, new Set(minted.map(recordKeyText)));
    after = page.length === pageSize ? page.at(-1) : undefined;
  } while (after);
}

async function markMoved(deps: WatchDeps, page: Watched[], block: number, shown: Set<string>): Promise<void> {
  const isShown = (entry: Watched) => shown.has(recordKeyText(recordKeyOfRow(entry)));
  await markIndexed(
    deps.db,
    page.filter((entry) => isShown(entry) && entry.indexed_at_block === null),
    block,
  );
  const moved = page.filter((entry) => {
    if (entry.removed_at) return isShown(entry);
    // Below the height where the record was seen, the subgraph may still be processing the reorganisation.
    return !isShown(entry) && entry.indexed_at_block !== null && block >= Number(entry.indexed_at_block);
  });
  for (const entries of Map.groupBy(moved, (entry) => entry.issuance_id).values())
    for (const some of Map.groupBy(entries, isGone).values())
      await markAs(deps, some as [Watched, ...Watched[]], block);
}

/** Whether an entry that moved was removed from the chain; if not, it is back. */
const isGone = (entry: Watched): boolean => entry.removed_at === null;

/** Marks entries of one issuance as removed or back. A reorganisation may remove thousands. */
async function markAs(
  { db, log }: WatchDeps,
  entries: [Watched, ...Watched[]],
  block: number,
): Promise<void> {
  const [{ issuance_id: id, issuer }] = entries;
  const gone = isGone(entries[0]);
  const what = gone ? 'was removed from the chain by a reorganisation' : 'is on the chain again';
  const indexes = entries.map(({ index }) => index);
  await db.transaction().execute(async (trx) => {
    const row = await lock(trx, { id, issuer });
    if (!row) return;
    await trx
      .updateTable('issuance_entry')
      // Restart their watch at the present height.
      .set({ removed_at: gone ? now : null, indexed_at_block: String(block), updated_at: now })
      .where('issuance_id', '=', id)
      .where('index', '=', sql<number>`any(${indexes}::int[])`)
      .execute();
    const reasons = entries.map((entry) => `record "${entry.external_id}" ${what} (block ${block})`);
    await addAllToHistory(trx, row, reasons);
  });
  for (const { index, token_id: token } of entries)
    log.warn({ issuanceId: id, entry: index, token, block }, `a record ${what}`);
}

/** Reads the records of all issuers. */
function recentlyIssued({ db, timeouts }: WatchDeps, after: Watched | undefined): Promise<Watched[]> {
  let query = db
    .selectFrom('issuance_entry')
    .select(columns)
    .where('status', '=', 'ISSUED')
    .where('token_id', 'is not', null)
    .where('updated_at', '>', ago(timeouts.reorgWatch))
    .orderBy('issuance_id')
    .orderBy('index')
    .limit(pageSize);
  if (after)
    query = query.where((where) =>
      where(where.refTuple('issuance_id', 'index'), '>', where.tuple(after.issuance_id, after.index)),
    );
  return query.execute();
}

/**
 * Stores the height at which records were seen. Leaves `updated_at` alone: it is the time of the outcome. Locked
 * entries are skipped until the next check: waiting could deadlock with the answer to a batch, which writes them in
 * another order.
 */
async function markIndexed(db: Db, entries: Watched[], block: number): Promise<void> {
  if (entries.length === 0) return;
  const seen = entries.map(({ issuance_id: id, index }) => ({ id, index }));
  await sql`
    with free as (
      select entry.issuance_id, entry.index
      from jsonb_array_elements(${JSON.stringify(seen)}::jsonb) as seen
      join gateway.issuance_entry as entry
        on entry.issuance_id = (seen->>'id')::uuid and entry.index = (seen->>'index')::int
      for update of entry skip locked
    )
    update gateway.issuance_entry as entry set indexed_at_block = ${block} from free
    where entry.issuance_id = free.issuance_id and entry.index = free.index`.execute(db);
}
