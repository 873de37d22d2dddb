import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import * as issuanceService from './0001-issuance-service.ts';
import * as webhooks from './0002-webhooks.ts';

/** In order; a landed migration is never edited, the next one mends it. */
const own: Record<string, Migration> = {
  '0001-issuance-service': issuanceService,
  '0002-webhooks': webhooks,
};

/** Brings schema `sandbox` up to date: the service's tables, and those of the parts given by `others`. */
export async function migrate(db: Kysely<never>, others: Record<string, Migration>): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...own, ...others }) },
    migrationTableSchema: 'sandbox',
    // Service and index number their migrations independently of each other.
    allowUnorderedMigrations: true,
  });
  const { error, results } = await migrator.migrateToLatest();
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  if (error)
    throw new Error(`The sandbox's store could not be migrated${failed ? ` (${failed})` : ''}`, {
      cause: error,
    });
}
