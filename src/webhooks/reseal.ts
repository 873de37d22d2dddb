import type { SecretBox } from '../access/secret-box.ts';
import type { Db } from '../store/tables.ts';
import { openIfReadable, sealSecret } from './secrets.ts';

/**
 * Seals every secret with the current key. Endpoints outlive a change of SECRETS_KEY, and without this its old key
 * could never be dropped.
 */
export async function resealSecrets(db: Db, box: SecretBox): Promise<void> {
  const rows = await db
    .selectFrom('webhook_endpoint')
    .select(['id', 'sealed_secret', 'sealed_previous'])
    .where('sealed_secret', 'is not', null)
    .execute();
  for (const { id, sealed_secret: current, sealed_previous: previous } of rows) {
    const reseal = (sealed: Buffer | null) => {
      const secret = openIfReadable(box, id, sealed);
      return secret === null ? sealed : sealSecret(box, id, secret);
    };
    await db
      .updateTable('webhook_endpoint')
      .set({ sealed_secret: reseal(current), sealed_previous: reseal(previous) })
      .where('id', '=', id)
      // A secret that was changed meanwhile is sealed with the current key already.
      .where('sealed_secret', '=', current)
      .execute();
  }
}
