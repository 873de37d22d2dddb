import type { Database } from '@srr-gateway/common/database/database';
import { testDatabase } from '@srr-gateway/common/testing/database';
import { type CompiledQuery, type DatabaseConnection, Kysely } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { RequestLog } from '../src/commerce/issue/request-log.ts';
import type { Tables } from '../src/store/tables.ts';
import { control } from '../testing/control.ts';
import { TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox } from '../testing/sandbox.ts';
import { startWebhookReceiver } from '../testing/webhook-receiver.ts';

const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());

type Execute = DatabaseConnection['executeQuery'];

/** A database that executes each statement by `execute`, which gets the original function. */
function watched(
  database: Database,
  execute: (statement: CompiledQuery, original: Execute) => unknown,
): Database {
  const connections = new WeakSet<DatabaseConnection>();
  const createDriver = () => {
    const driver = database.dialect.createDriver();
    const acquire = driver.acquireConnection.bind(driver);
    driver.acquireConnection = async () => {
      const connection = await acquire();
      if (connections.has(connection)) return connection;
      connections.add(connection);
      const original = connection.executeQuery.bind(connection);
      connection.executeQuery = (statement) => execute(statement, original) as never;
      return connection;
    };
    return driver;
  };
  return { ...database, dialect: Object.assign(Object.create(database.dialect), { createDriver }) };
}

/** A sandbox on this database, and an issuer with a picture. */
async function start(execute: Parameters<typeof watched>[1]) {
  const { database, drop } = await testDatabase();
  cleanUp.defer(drop);
  const receiver = await startWebhookReceiver();
  cleanUp.defer(() => receiver.stop());
  const webhooks = [{ url: receiver.url, key: 'k' }];
  const test = await startTestSandbox({ database: watched(database, execute), webhooks });
  cleanUp.defer(() => test.stop());
  const issuer = new TestIssuer(test.sandbox.info);
  const { finalUrl } = await issuer.uploadReady('lost.png', 'non_attachment_file', 'picture');
  return { test, database, receiver, issuer, payload: [issuer.entry(finalUrl)] };
}

const broken = () => new Error('Connection terminated unexpectedly');
const isConfirmation = ({ parameters }: CompiledQuery) => parameters.includes('successful');

it('a request whose confirmation was committed is accepted, although the response to the commit was lost', async () => {
  let lost: 'not yet' | 'next' | 'lost' = 'not yet';
  const { issuer, payload, receiver } = await start(async (statement, original) => {
    if (lost === 'not yet' && isConfirmation(statement)) lost = 'next';
    const result = await original(statement);
    if (lost !== 'next' || statement.sql !== 'commit') return result;
    lost = 'lost';
    throw broken();
  });
  expect(await issuer.post('srrs', { payload })).toMatchObject({ status: 201 });
  await expect
    .poll(() => receiver.entries('issue_complete'), { timeout: 10_000 })
    .toMatchObject([{ externalId: payload[0]?.externalId }]);
  expect((await issuer.post('srrs', { payload })).body.message).toBe(
    'Request Content Error: Current request already logged with status successful',
  );
});

it('a request that fails while the database is down can be sent again when it is back', async () => {
  let away: boolean | undefined;
  const { issuer, payload } = await start(async (statement, original) => {
    away ??= isConfirmation(statement) || undefined;
    if (away && !/^(begin|rollback)/.test(statement.sql)) throw broken();
    return original(statement);
  });
  expect((await issuer.post('srrs', { payload })).status).toBe(500);
  away = false;
  expect((await issuer.post('srrs', { payload })).status).toBe(201);
});

it('a refusal that cannot be reported by webhook, because the database is down, is still answered as usual', async () => {
  let away = false;
  const { test, issuer, payload } = await start(async (statement, original) => {
    away ||= isConfirmation(statement);
    if (away && !/^(begin|rollback)/.test(statement.sql)) throw broken();
    return original(statement);
  });
  await control(test.sandbox, 'settings', { webhooksOfRefusals: true });
  expect(await issuer.post('srrs', { payload })).toEqual({
    status: 500,
    body: {
      statusCode: 500,
      message: 'SERVICE_ERROR: the sandbox met an unexpected fault; its log says more',
    },
  });
});

it('a request that a later start marked as failed is not confirmed by the process that still works on it', async () => {
  const { test, database, issuer, payload, receiver } = await start((statement, original) =>
    original(statement),
  );
  const db = new Kysely<Tables>({ dialect: database.dialect }).withSchema('sandbox');
  const inProgress = () =>
    db.selectFrom('issue_request').select('id').where('status', '=', 'in_progress').execute();
  await control(test.sandbox, 'faults', { kind: 'publishing', delayMs: 1_000 });
  const answer = issuer.post('srrs', { payload });
  await expect.poll(inProgress).toHaveLength(1);
  await new RequestLog(db).abandonInterrupted();
  expect(await answer).toMatchObject({ status: 500 });
  expect(await issuer.post('srrs', { payload })).toMatchObject({ status: 201 });
  await expect.poll(() => receiver.entries('issue_complete'), { timeout: 10_000 }).toHaveLength(1);
});
