import type { Database } from '@srr-gateway/common/database/database';
import { Kysely } from 'kysely';
import type { Db } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables.ts';

/** The gateway's tables on a test's database, to look at what no query shows. */
export const tablesOf = (database: Database): Db =>
  new Kysely<Tables>({ dialect: database.dialect }).withSchema('gateway');
