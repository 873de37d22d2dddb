import { testDatabase } from '@srr-gateway/common/testing/database';
import { beforeAll } from 'vitest';
import { type Db, openTables } from '../../src/store/store.ts';
import { countedStatements } from './counted-statements.ts';

/**
 * Gives the tests of a file the tables of the gateway in an empty database, which is dropped after them, and the list
 * of the statements that are sent to it.
 */
export const withTables = (use: (db: Db, statements: string[]) => void): void =>
  beforeAll(async () => {
    const test = await testDatabase();
    const { database, statements } = countedStatements(test.database);
    use(await openTables(database), statements);
    return () => test.drop();
  });
