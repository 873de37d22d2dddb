import type { SecretBox } from '../access/secret-box.ts';
import type { Db } from '../store/tables.ts';
import { openIfReadable, sealSecret } from './secrets.ts';

/**
 * Seals every secret with the current key: endpoints live longer than a change of SECRETS_KEY, which otherwise could
 * never drop the old one.
 */
export async function resealSecrets(db: Db, box: SecretBox): Promise<void> {
  const rows = await db
    .selectFrom('webhook_endpoint')
    .select(['id', 'sealed_secret', 'sealed_previous'])
    .where('sealed_secret', 'is not', null)
    .execute();
  for (const { id, sealed_secret: current, sealed_previous: previous } of rows) {
    const again = (sealed: Buffer | null) => {
      const secret = openIfReadable(box, id, sealed);
      return secret === null ? sealed : sealSecret(box, id, secret);
    };
    await db
      .updateTable('webhook_endpoint')
      .set({ sealed_secret: again(current), sealed_previous: again(previous) })
      .where('id', '=', id)
      // It may have been changed meanwhile, and is sealed with the current key then.
      .where('sealed_secret', '=', current)
      .execute();
  }
}
