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

it('the roll-back of docs/operate/upgrading.md leaves a database that version 0.1 takes, and 0.2 again', async () => {
  const test = await testDatabase();
  drop = () => test.drop();
  const db = new Kysely<never>({ dialect: test.database.dialect });
  const migrate = async (last: string) => {
    const migrations = await migrationsUpTo(last);
    const provider = { getMigrations: async () => migrations };
    return (await new Migrator({ db, provider, migrationTableSchema: 'gateway' }).migrateToLatest()).error;
  };
  const [old, next] = ['0011-collection-creations', '0012-due-by-issuer'];
  expect(await migrate(next)).toBeUndefined();
  expect(await migrate(old)).toMatchObject({ message: expect.stringContaining(next) });

  const [watch, rollBack] = snippetsOf('docs/operate/upgrading.md').filter(
    ({ language }) => language === 'sql',
  );
  expect((await sql.raw(watch?.code ?? '').execute(db)).rows).toEqual([]);
  for (const statement of (rollBack?.code ?? '').split(';').filter((one) => one.trim() !== ''))
    await sql.raw(statement).execute(db);
  expect(await migrate(old)).toBeUndefined();
  expect(await migrate(next)).toBeUndefined();
});
