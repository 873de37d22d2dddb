import type { Database } from '@srr-gateway/common/database/database';
import { CompiledQuery, Kysely, type LogEvent } from 'kysely';
import type { Db } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables.ts';

/** The result of `explain` for a statement. */
type Explained = { 'QUERY PLAN': { Plan: Record<'Shared Hit Blocks' | 'Shared Read Blocks', number> }[] };

/** The number of 8 KB blocks that the database reads for `run`, whose statements are executed twice. */
export async function blocksRead(database: Database, run: (db: Db) => Promise<unknown>): Promise<number> {
  const sent: CompiledQuery[] = [];
  const log = ({ query }: LogEvent): void => {
    sent.push(query);
  };
  await run(new Kysely<Tables>({ dialect: database.dialect, log }).withSchema('gateway'));
  const plain = new Kysely<object>({ dialect: database.dialect });
  let blocks = 0;
  for (const { sql, parameters } of sent) {
    const explain = `explain (analyze, buffers, format json) ${sql}`;
    const { rows } = await plain.executeQuery<Explained>(CompiledQuery.raw(explain, [...parameters]));
    for (const { 'QUERY PLAN': plans } of rows)
      for (const { Plan: plan } of plans) blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  }
  return blocks;
}
