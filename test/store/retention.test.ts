import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dropOldDetails } from '../../src/issuance/maintenance.ts';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { askToIssue, finalOutcome, issue, outcomeOf } from '../_util/issuances.ts';
import { tablesOf } from '../_util/tables.ts';
import { filesOf, waitingOf } from '../_util/waited-files.ts';

const day = 86_400_000;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

it('old issuances lose their details, but keep their outcome and their requestId', async () => {
  const db = tablesOf(gateway.database);
  const upload = await gateway.caller.upload('old.png', 'NON_ATTACHMENT_FILE', 'old');
  const input = (name: string) => ({ requestId: name, entries: [entry(gateway.info, name, { upload })] });
  const ids = [];
  for (const name of ['old', 'young']) ids.push(await issue(gateway.caller, input(name)));
  const before = [];
  for (const id of ids) before.push(await finalOutcome(gateway.caller, id));
  await db
    .updateTable('issuance')
    .set({ completed_at: sql<Date>`clock_timestamp() - interval '31 days'` })
    .where('request_id', '=', 'old')
    .execute();

  await dropOldDetails({ db, timeouts: { keepDetails: 30 * day } }, AbortSignal.timeout(10_000));

  const payloads = await db
    .selectFrom('issuance_entry')
    .select(['external_id', sql<boolean>`payload = '{}'`.as('empty')])
    .orderBy('external_id')
    .execute();
  expect(payloads).toEqual([
    { external_id: 'old', empty: true },
    { external_id: 'young', empty: false },
  ]);
  const { rows: files } = await sql`
    select request_id from gateway.issuance_file join gateway.issuance on issuance.id = issuance_id`.execute(
    db,
  );
  expect(files).toEqual([{ request_id: 'young' }]);
  const waited = ids.map(async (id) => filesOf(await waitingOf(gateway.caller, id)));
  expect(await Promise.all(waited)).toMatchObject([[], [{ filename: 'old.png', status: 'READY' }]]);

  expect(await outcomeOf(gateway.caller, ids[0] as string)).toEqual(before[0]);
  expect(await issue(gateway.caller, input('old'))).toBe(ids[0]);
  const other = { ...input('other'), requestId: 'old' };
  expect((await askToIssue(gateway.caller, other)).userErrors).toMatchObject([
    { code: 'IDEMPOTENCY_CONFLICT' },
  ]);
});
