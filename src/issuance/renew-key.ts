import type { Credentials } from '../clients/commerce/commerce.ts';
import type { FlowDeps, IssuanceRow } from './flow.ts';

/**
 * Replaces the key of work under way when its caller repeats the call. If the service has withdrawn the old key, or
 * the issuer has left the configuration, a request whose answer was lost could otherwise never be repeated.
 */
export async function renewKey(
  { db, keys }: Pick<FlowDeps, 'db' | 'keys'>,
  table: 'issuance' | 'collection_creation',
  { id, issuer, sealed_key }: Pick<IssuanceRow, 'id' | 'issuer' | 'sealed_key'>,
  credentials: Credentials,
): Promise<void> {
  // Work without a key of its own uses the currently configured one.
  if (sealed_key === null && keys.open(issuer, null)) return;
  await db
    // Both tables have these columns; Kysely types a query by one table.
    .updateTable(table as 'issuance')
    .set({ sealed_key: keys.seal(credentials) })
    .where('id', '=', id)
    .where('issuer', '=', issuer)
    // Accepted work no longer has or needs a key.
    .where('status', '<>', 'WAITING_FOR_MINING')
    .where('completed_at', 'is', null)
    .execute();
}
