import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { testDatabase } from '@srr-gateway/common/testing/database';
import { Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { expect, it, onTestFinished } from 'vitest';
import { lockLog } from '../../src/store/lock-log.ts';
import type { Db } from '../../src/store/tables.ts';
import { snippetsOf } from '../_util/doc-snippets.ts';
import { project } from '../_util/gateway-process.ts';

/** The migrations up to the last one of a version. */
async function migrationsUpTo(last: string): Promise<Record<string, Migration>> {
  const files = globSync('src/store/migrations/*.ts', { cwd: project }).toSorted();
  const modules = files.map(
    async (file) => [basename(file, '.ts'), await import(join(project, file))] as const,
  );
  return Object.fromEntries((await Promise.all(modules)).filter(([name]) => name <= last));
}

/** An empty database, and a function that migrates it up to a migration, and returns the error. */
async function emptyDatabase() {
  const { database, drop } = await testDatabase();
  onTestFinished(drop);
  const db = new Kysely<never>({ dialect: database.dialect });
  const migrate = async (last: string) => {
    const migrations = await migrationsUpTo(last);
    const provider = { getMigrations: async () => migrations };
    return (await new Migrator({ db, provider, migrationTableSchema: 'gateway' }).migrateToLatest()).error;
  };
  return { db, migrate };
}

/** Every column and index of the gateway's schema. */
async function schemaOf(db: Kysely<never>): Promise<string[]> {
  const { rows } = await sql<{ part: string }>`
    select concat_ws(' ', 'column', table_name, column_name, data_type, is_nullable, column_default) as part
    from information_schema.columns where table_schema = 'gateway'
    union all select indexdef from pg_indexes where schemaname = 'gateway'`.execute(db);
  return rows.map(({ part }) => part).sort();
}

const snippets = snippetsOf('docs/operate/upgrading.md')
  .filter(({ language }) => language === 'sql')
  .map(({ code }) => code);

async function runAll(db: Kysely<never>, statements: string): Promise<void> {
  // One connection, because the statements are one transaction.
  await db.connection().execute(async (one) => {
    for (const statement of statements.split(';').filter((text) => text.trim() !== ''))
      await sql.raw(statement).execute(one);
  });
}

it('the rollbacks of docs/operate/upgrading.md lead to the schema of 0.2 and 0.1, and back', async () => {
  const { db, migrate } = await emptyDatabase();
  const [first, second, all] = ['0011-collection-creations', '0012-due-by-issuer', '9999'];
  const schemas: Record<string, string[]> = {};
  for (const version of [first, second, all]) {
    expect(await migrate(version)).toBeUndefined();
    schemas[version] = await schemaOf(db);
  }
  expect(await migrate(first)).toMatchObject({ message: expect.stringContaining(second) });

  const [toSecond = '', watch = '', toFirst = ''] = snippets;
  expect((await sql.raw(watch).execute(db)).rows).toEqual([]);
  for (const [rollBack, version] of [
    [toSecond, second],
    [toFirst, first],
  ] as const) {
    await runAll(db, rollBack);
    expect(await migrate(version)).toBeUndefined();
    expect(
      await schemaOf(db),
      `The roll-back on the page must undo every migration after ${version}.`,
    ).toEqual(schemas[version]);
  }
  expect(await migrate(all)).toBeUndefined();
});

it('the rollback to 0.2 leaves no value that 0.2 does not know', async () => {
  const { db, migrate } = await emptyDatabase();
  expect(await migrate('9999')).toBeUndefined();
  await sql`insert into gateway.event (issuer, cursor, type, kind, source, dedupe, raw) values
    ('0x1', 1, 'SRR_ISSUED', 'issue_complete', 'WEBHOOK', 'a', '{}'),
    ('0x1', 2, 'ANY_TYPE', 'gateway', 'GATEWAY', 'b', '{}')`.execute(db);
  await sql`insert into gateway.access_token (digest, issuer, scopes, note)
    values ('c', '0x1', '{read,webhooks}', '')`.execute(db);
  await runAll(db, snippets[0] ?? '');
  expect((await sql`select type, source from gateway.event`.execute(db)).rows).toEqual([
    { type: 'SRR_ISSUED', source: 'WEBHOOK' },
  ]);
  expect((await sql`select scopes from gateway.access_token`.execute(db)).rows).toEqual([
    { scopes: ['read'] },
  ]);
});

it('docs/operate/upgrading.md names every migration since 0.1', async () => {
  const page = readFileSync(join(project, 'docs/operate/upgrading.md'), 'utf8');
  const names = Object.keys(await migrationsUpTo('9999')).filter(
    (name) => name > '0011-collection-creations',
  );
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

it.runIf(process.env.TEST_DATABASE_URL)(
  'the migration waits for a replica of 0.2 that settles records, and both succeed',
  async () => {
    const { db, migrate } = await emptyDatabase();
    expect(await migrate('0012-due-by-issuer')).toBeUndefined();
    const waiting = sql`select from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database() and not granted`;
    const waits = async () => (await waiting.execute(db)).rows.length;
    let migrated: Promise<unknown> | undefined;
    await db.transaction().execute(async (trx) => {
      await lockLog(trx.withSchema('gateway') as unknown as Db, '0x1');
      await sql`update gateway.issuance_entry set status = 'ISSUED'`.execute(trx);
      migrated = migrate('9999');
      await expect.poll(waits).toBe(1);
      await sql`update gateway.event set visible = true`.execute(trx);
    });
    expect(await migrated).toBeUndefined();
  },
);
