import { testDatabase } from '@srr-gateway/common/testing/database';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import * as issuanceAndEvents from '../../src/store/migrations/0001-issuance-and-events.ts';
import * as workInFlight from '../../src/store/migrations/0002-work-in-flight.ts';
import * as housekeeping from '../../src/store/migrations/0003-housekeeping.ts';
import * as eventRetention from '../../src/store/migrations/0004-event-retention.ts';

const older = {
  '0001-issuance-and-events': issuanceAndEvents,
  '0002-work-in-flight': workInFlight,
  '0003-housekeeping': housekeeping,
  '0004-event-retention': eventRetention,
};

/** A store as an older version left it, for a test to fill and then to migrate. */
export async function olderStore(): Promise<{ db: Kysely<never>; drop(): Promise<void> }> {
  const { database, drop } = await testDatabase();
  const db = new Kysely<never>({ dialect: database.dialect });
  const provider = { getMigrations: async () => older };
  const { error } = await new Migrator({ db, provider, migrationTableSchema: 'gateway' }).migrateToLatest();
  if (error) throw error;
  return { db, drop };
}
