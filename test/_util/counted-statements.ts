import type { Database } from '@srr-gateway/common/database/database';
import type { CompiledQuery, Dialect } from 'kysely';

/** Records each statement that is sent through `database`, including BEGIN and COMMIT, as one round trip. */
export function countedStatements(database: Database): { database: Database; statements: string[] } {
  const statements: string[] = [];
  const counted = new WeakSet<object>();
  const { dialect } = database;
  const createDriver: Dialect['createDriver'] = () => {
    const driver = dialect.createDriver();
    const acquire = driver.acquireConnection.bind(driver);
    return Object.assign(driver, {
      acquireConnection: async (...options: Parameters<typeof acquire>) => {
        const connection = await acquire(...options);
        if (counted.has(connection)) return connection;
        counted.add(connection);
        const execute = connection.executeQuery.bind(connection);
        const executeQuery = (query: CompiledQuery) => {
          statements.push(query.sql.replaceAll(/\s+/g, ' ').trim());
          return execute(query);
        };
        return Object.assign(connection, { executeQuery });
      },
    });
  };
  const same = {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db: Parameters<Dialect['createIntrospector']>[0]) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
  return { database: { ...database, dialect: { ...same, createDriver } }, statements };
}
