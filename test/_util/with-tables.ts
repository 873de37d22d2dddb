import { testDatabase } from '@srr-gateway/common/testing/database';
import { beforeAll } from 'vitest';
import { type Db, openTables } from '../../src/store/store.ts';

/** Gives the tests of a file the tables of the gateway in an empty database, which is dropped after them. */
export const withTables = (use: (db: Db) => void): void =>
  beforeAll(async () => {
    const test = await testDatabase();
    use(await openTables(test.database));
    return () => test.drop();
  });
