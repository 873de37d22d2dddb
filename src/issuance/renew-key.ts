import type { Credentials } from '../clients/commerce/commerce.ts';
import type { DueRow } from '../store/due-rows.ts';
import type { Db } from '../store/store.ts';
import type { FlowDeps } from './flow.ts';

/** Tables whose rows may have the key of their caller. */
type KeyedTable = 'issuance' | 'collection_creation';

/**
 * Replaces the key of work under way when its caller repeats the call. The service may have withdrawn the old key, or
 * the issuer has left the configuration. Then a request whose answer was lost could never be repeated.
 */
export async function renewKey<T extends KeyedTable>(
  { db, keys }: { db: Db; keys: FlowDeps['keys'] },
  table: T,
  row: DueRow<T>,
  credentials: Credentials,
): Promise<void> {
  const { id, issuer, sealed_key } = row as DueRow<KeyedTable>;
  // Work without a key of its own uses the configured one, also after that has changed.
  if (sealed_key === null && keys.open(issuer, null)) return;
  await db
    .updateTable(table as 'issuance')
    .set({ sealed_key: keys.seal(credentials) })
    .where('id', '=', id)
    .where('issuer', '=', issuer)
    // Accepted work has no key any more, and needs none.
    .where('status', '<>', 'WAITING_FOR_MINING')
    .where('completed_at', 'is', null)
    .execute();
}
