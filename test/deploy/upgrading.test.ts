import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { testDatabase } from '@srr-gateway/common/testing/database';
import { Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { afterEach, expect, it } from 'vitest';
import { snippetsOf } from '../_util/doc-snippets.ts';
import { project } from '../_util/gateway-process.ts';

let drop: (() => Promise<void>) | undefined;
afterEach(() => drop?.());

/** The migrations of a version, up to its last. */
async function migrationsUpTo(last: string): Promise<Record<string, Migration>> {
  const files = globSync('src/store/migrations/*.ts', { cwd: project }).toSorted();
  const modules = files.map(
    async (file) => [basename(file, '.ts'), await import(join(project, file))] as const,
  );
  return Object.fromEntries((await Promise.all(modules)).filter(([name]) => name <= last));
}

it('the roll-backs of docs/operate/upgrading.md leave databases that 0.2 and 0.1 take, and all again', async () => {
  const test = await testDatabase();
  drop = () => test.drop();
  const db = new Kysely<never>({ dialect: test.database.dialect });
  const migrate = async (last: string) => {
    const migrations = await migrationsUpTo(last);
    const provider = { getMigrations: async () => migrations };
    return (await new Migrator({ db, provider, migrationTableSchema: 'gateway' }).migrateToLatest()).error;
  };
  const [first, second, latest] = [
    '0011-collection-creations',
    '0012-due-by-issuer',
    '0016-configured-endpoints',
  ];
  const all = '9999';
  expect(await migrate(all)).toBeUndefined();
  expect(await migrate(first)).toMatchObject({ message: expect.stringContaining(second) });

  const [toSecond = '', watch = '', toFirst = ''] = snippetsOf('docs/operate/upgrading.md')
    .filter(({ language }) => language === 'sql')
    .map(({ code }) => code);
  expect((await sql.raw(watch).execute(db)).rows).toEqual([]);
  for (const [rollBack, version] of [
    [toSecond, second],
    [toFirst, first],
  ] as const) {
    for (const statement of rollBack.split(';').filter((one) => one.trim() !== ''))
      await sql.raw(statement).execute(db);
    expect(await migrate(version)).toBeUndefined();
  }
  expect(await migrate(all)).toBeUndefined();
  const { rows } = await sql<{
    name: string;
  }>`select max(name) as name from gateway.kysely_migration`.execute(db);
  // A new migration needs its roll-back on the page.
  expect(rows).toEqual([{ name: latest }]);
});
