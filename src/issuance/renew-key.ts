import type { Credentials } from '../clients/commerce/commerce.ts';
import type { DueRow } from '../store/due-rows.ts';
import type { Db } from '../store/store.ts';
import type { FlowDeps } from './flow.ts';

/** Work that may hold the key of its caller. */
type Table = 'issuance' | 'collection_creation';

/**
 * Stores the key of a caller who repeats the call of work under way, in place of the one that came with it. The
 * service may have withdrawn that one, and a request whose answer was lost would be refused with it for ever.
 */
export async function renewKey<T extends Table>(
  { db, keys }: { db: Db; keys: Pick<FlowDeps['keys'], 'seal'> },
  table: T,
  row: DueRow<T>,
  credentials: Credentials,
): Promise<void> {
  const { id, issuer, sealed_key } = row as DueRow<Table>;
  // Without a key of its own the work goes on with the configured one, also after a change of that.
  if (sealed_key === null) return;
  await db
    .updateTable(table as 'issuance')
    .set({ sealed_key: keys.seal(credentials) })
    .where('id', '=', id)
    .where('issuer', '=', issuer)
    // The end of the work erases its key.
    .where('sealed_key', 'is not', null)
    .execute();
}
