import { testDatabase } from '@srr-gateway/common/testing/database';
import { Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrate } from './migrate.ts';

it('a database that cannot be migrated is refused with the reason', async () => {
  const { database, drop } = await testDatabase();
  const db = new Kysely<never>({ dialect: database.dialect });
  try {
    await migrate(db, {});
    await sql`insert into sandbox.kysely_migration values ('0003-of-a-newer-version', now())`.execute(db);
    await expect(migrate(db, {})).rejects.toThrow(
      /^The sandbox.s database could not be migrated: .* 0003-of-a-newer-version is missing/,
    );
  } finally {
    await drop();
  }
});
