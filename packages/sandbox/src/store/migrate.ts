import { migrateToLatest } from '@srr-gateway/common/database/migrations';
import { reasonOf, StartError } from '@srr-gateway/common/start-error';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import * as issuanceService from './0001-issuance-service.ts';
import * as webhooks from './0002-webhooks.ts';

/** In order. Never edit a released migration: databases that ran it would not change. Add another one. */
const own: Record<string, Migration> = {
  '0001-issuance-service': issuanceService,
  '0002-webhooks': webhooks,
};

/**
 * Migrates schema `sandbox`: the service's tables, and those of `others`. Throws a `StartError` when a migration fails.
 */
export async function migrate(db: Kysely<never>, others: Record<string, Migration>): Promise<void> {
  const { error, results } = await migrateToLatest(db, {
    provider: { getMigrations: async () => ({ ...own, ...others }) },
    migrationTableSchema: 'sandbox',
    // The service and the subgraph number their migrations independently.
    allowUnorderedMigrations: true,
  });
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  if (error)
    throw new StartError(
      `The sandbox's database could not be migrated${failed ? ` (migration ${failed})` : ''}: ${reasonOf(error)}`,
      { cause: error },
    );
}
