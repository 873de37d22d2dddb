import type { Database } from '@srr-gateway/common/database/database';
import { Kysely } from 'kysely';
import type { Db } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables.ts';

/** The tables of the gateway in the database of a test, for data that no query returns. */
export const tablesOf = (database: Database): Db =>
  new Kysely<Tables>({ dialect: database.dialect }).withSchema('gateway');
