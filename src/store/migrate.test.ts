import { testDatabase } from '@srr-gateway/common/testing/database';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { isMigrated } from './migrate.ts';
import { openStore } from './store.ts';

it('a database that lacks one migration, as an older backup does, is not up to date', async () => {
  const { database, drop } = await testDatabase();
  const { db, close } = await openStore(database);
  onTestFinished(async () => {
    await close();
    await drop();
  });
  expect(await isMigrated(db)).toBe(true);
  await sql`delete from gateway.kysely_migration where name = (
    select max(name) from gateway.kysely_migration)`.execute(db);
  expect(await isMigrated(db)).toBe(false);
});
