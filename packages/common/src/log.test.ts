import { spawnSync } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../testing/database.ts';
import { createLogger } from './log.ts';

let lines: string[] = [];
const log = createLogger({
  level: 'info',
  name: 'test',
  destination: { write: (line) => void lines.push(line) },
});

describe('an error of the store', () => {
  const value = 'a-persons-own-data';
  let db: Kysely<unknown>;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const test = await testDatabase();
    db = new Kysely({ dialect: test.database.dialect });
    drop = () => test.drop();
    await sql`create table thing (name text unique, weight int check (weight > 0), id uuid, document jsonb)`.execute(
      db,
    );
    await sql`insert into thing (name) values (${value})`.execute(db);
  });
  afterAll(() => drop?.());

  it.each([
    ['a value that is there already', 'thing_name_key', sql`insert into thing (name) values (${value})`],
    [
      'a row that breaks a rule',
      'thing_weight_check',
      sql`insert into thing (name, weight) values (${`${value}2`}, -1)`,
    ],
    ['a value of another type', '22P02', sql`update thing set id = ${value}::uuid`],
    ['a text that is no document', '22P02', sql`update thing set document = ${`{"a": ${value}}`}::jsonb`],
    ['a time that is none', '22007', sql`select ${value}::timestamptz`],
    ['a table that is not there', '42P01', sql`select * from nothing where name = ${value}`],
  ])(
    'is logged with what it broke, and without the values of its statement: %s',
    async (_what, broken, statement) => {
      lines = [];
      const error: unknown = await statement.execute(db).then(
        () => undefined,
        (error: unknown) => error,
      );
      log.error({ err: error }, 'it failed');
      log.error(error, 'it failed');
      expect(lines).toHaveLength(2);
      for (const line of lines) {
        expect(line).toContain(broken);
        expect(line).toContain('"stack"');
        expect(line).not.toContain(value);
      }
    },
  );
});

// EPIPE has the form of a code of PostgreSQL.
it.each(['ECONNRESET', 'EPIPE'])('an error of anything else is logged unchanged: %s', (code) => {
  lines = [];
  log.error({ err: Object.assign(new Error('no: "x"'), { code, detail: 'on port 9' }) }, 'it failed');
  const line = JSON.parse(lines.join(''));
  expect(line).toMatchObject({
    err: { type: 'Error', message: 'no: "x"', code, detail: 'on port 9' },
  });
  expect(Object.keys(line).sort()).toEqual(['err', 'level', 'msg', 'name', 'time']);
});

it.skipIf(!existsSync('/dev/full'))('does not end the process when it cannot be written', () => {
  const program = `import { createLogger } from '${new URL('log.ts', import.meta.url)}';
    const log = createLogger({ level: 'info', name: 'test' });
    for (let n = 0; n < 3; n++) log.info('a line');
    setTimeout(() => process.stdout.write('alive'), 10);`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')],
  });
  expect(stdout.toString()).toBe('alive');
});
