import { StartError } from '@srr-gateway/common/start-error';
import { sql } from 'kysely';
import type { Db } from '../store/tables.ts';
import type { SecretBox } from './secret-box.ts';

/**
 * Registers the keys of this process with the database, so that replicas with different keys are found at the
 * start and not when the first secret cannot be decrypted.
 * @throws StartError when the database knows keys, and none of these.
 */
export async function registerSealingKeys(db: Db, box: SecretBox): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // Otherwise two simultaneous first starts could both find the table empty.
    await sql`lock table gateway.sealing_key in exclusive mode`.execute(transaction);
    const rows = await transaction.selectFrom('sealing_key').select('fingerprint').execute();
    const known = new Set(rows.map(({ fingerprint }) => fingerprint));
    const own = box.fingerprints;
    if (known.size > 0 && !own.some((fingerprint) => known.has(fingerprint)))
      throw new StartError(
        'SECRETS_KEY: another key has encrypted the secrets in this database. Set that key, or put it after the new one (new,old). With the embedded database the key is the file secrets.key in DATA_DIR. If the key is lost, see docs/operate/running.md.',
      );
    await transaction
      .insertInto('sealing_key')
      .values(own.map((fingerprint) => ({ fingerprint })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}
