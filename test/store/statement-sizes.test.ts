import { randomUUID } from 'node:crypto';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { selectEvents } from '../../src/events/event-filter.ts';
import { dropOldBodies } from '../../src/events/retention.ts';
import { entriesOf } from '../../src/issuance/batch-state.ts';
import { entryIds, eventsAbout } from '../../src/issuance/events-about.ts';
import { dropOldDetails } from '../../src/issuance/maintenance.ts';
import { IssuanceReads } from '../../src/issuance/read.ts';
import { watchChain } from '../../src/issuance/recover/chain-watch.ts';
import { competingEntries, contestedEntries } from '../../src/issuance/recover/sent-entries.ts';
import { claimDue } from '../../src/store/due-rows.ts';
import { collectionEvents } from '../../src/store/events-of-issuance.ts';
import { type Db, openTables } from '../../src/store/store.ts';
import { findFiles, recordContents } from '../../src/uploads/known-files.ts';
import { UploadRows } from '../../src/uploads/upload-rows.ts';
import { blocksRead } from '../_util/blocks-read.ts';
import { issuerNumber } from '../_util/event-store.ts';

const issuer = issuerNumber(975);
const days = 86_400_000;
/** The number of rows in each table: finished work of one issuer, a minute apart. */
const rows = 6_000;

let database: Awaited<ReturnType<typeof testDatabase>>['database'];
beforeAll(async () => {
  const test = await testDatabase();
  database = test.database;
  const db = await openTables(database);
  const at = sql`clock_timestamp() - make_interval(mins => n)`;
  await sql`insert into gateway.issuance (id, issuer, request_id, fingerprint, batching, status, created_at, completed_at)
    select gen_random_uuid(), ${issuer}, n::text, '', 'ALL_OR_NOTHING', 'COMPLETED', ${at}, ${at}
    from generate_series(1, ${rows}::int) as n`.execute(db);
  await sql`insert into gateway.issuance_batch (issuance_id, index, status, request_id)
    select id, 0, 'ACCEPTED', id::text from gateway.issuance`.execute(db);
  await sql`insert into gateway.issuance_entry
      (issuance_id, index, batch, issuer, external_id, status, payload, token_id, updated_at)
    select id, 0, 0, issuer, request_id, 'ISSUED', jsonb_build_object('artistAddress', issuer, 'metadata', '{}'::jsonb),
      request_id, completed_at
    from gateway.issuance`.execute(db);
  await sql`insert into gateway.event
      (issuer, cursor, type, kind, source, dedupe, external_id, token_id, raw, received_at)
    select issuer, row_number() over (), 'SRR_ISSUED', 'issue_complete', 'WEBHOOK', external_id, external_id, token_id,
      '{}', updated_at
    from gateway.issuance_entry`.execute(db);
  await sql`insert into gateway.upload (issuer, filename, category, content_type, final_url, created_at)
    select ${issuer}, n || '.png', 'artwork', 'image/png', 'https://cdn.example/' || n, ${at}
    from generate_series(1, ${rows}::int) as n`.execute(db);
  await sql`analyze`.execute(db);
  return () => test.drop();
});

/** A position with half of the rows before it, and half after it. */
const middle = { createdAt: new Date(Date.now() - (rows / 2) * 60_000), id: randomUUID() };
const readsOf = (db: Db) => new IssuanceReads({ db, files: { find: findFiles, recordContents } });

const signal = AbortSignal.timeout(600_000);
const mintedOf = async () => ({ block: 1, minted: [] });

it.each<[string, (db: Db) => Promise<unknown>]>([
  [
    'the check for reorganisations',
    (db) => watchChain({ db, log: silent, mintedOf, timeouts: { reorgWatch: 600_000 } }, signal),
  ],
  ['the deletion of details', (db) => dropOldDetails({ db, timeouts: { keepDetails: 90 * days } }, signal)],
  [
    'the deletion of the bodies of events',
    (db) => dropOldBodies({ db, log: silent, keepMs: 90 * days }, signal),
  ],
  ['the query for entries that a record may belong to', (db) => competingEntries(db, issuer, [issuer])],
  [
    'the query for a request with the content of an entry',
    async (db) => {
      const entries = db.selectFrom('issuance_entry').select(['issuance_id as issuanceId', 'index']);
      return contestedEntries(db, issuer, await entries.where('external_id', '=', '7').execute());
    },
  ],
  ['the query for events about a collection', (db) => collectionEvents(db, issuer, issuer, new Date(0))],
  [
    'the query for events of a collection',
    async (db) => {
      const about = { entryIds, eventsAbout };
      expect(await selectEvents(db, issuer, '0', 200, { collection: issuer }, about)).toHaveLength(0);
    },
  ],
  [
    'the query for events about an issuance',
    async (db) => {
      const issuances = db.selectFrom('issuance').select('id').where('issuer', '=', issuer);
      const { id } = await issuances.where('request_id', '=', '7').executeTakeFirstOrThrow();
      const about = { entryIds, eventsAbout };
      expect(await selectEvents(db, issuer, '0', 200, { issuance: id }, about)).toHaveLength(1);
    },
  ],
  [
    'the query for a page of issuances in the middle',
    async (db) => {
      const { rows: page } = await readsOf(db).list(issuer, { first: 10, after: middle }, {});
      expect(page).toHaveLength(10);
    },
  ],
  [
    'the query for issuances that are under way',
    (db) => readsOf(db).list(issuer, { first: 10 }, { status: ['SUBMITTING', 'OUTCOME_UNKNOWN'] }),
  ],
  [
    'the query for a page of uploads in the middle',
    async (db) => {
      const after = { ...middle, category: 'artwork' as const, filename: '' };
      expect((await new UploadRows(db).list(issuer, { first: 10, after })).rows).toHaveLength(10);
    },
  ],
  ['the query for files by their names', (db) => findFiles(db, issuer, { filenames: ['7.png', 'none.png'] })],
  [
    'the query for files by their addresses',
    (db) => findFiles(db, issuer, { urls: ['https://cdn.example/7', 'ipfs://7'] }),
  ],
  [
    'the query for names that are taken',
    (db) => new UploadRows(db).takenNames(issuer, [{ filename: '7.png', category: 'artwork', hash: 'x' }]),
  ],
])('%s reads few blocks, however much finished work is stored', async (_, run) => {
  expect(await blocksRead(database, run)).toBeLessThan(40);
});

it('a claim reads few blocks when nothing is due and the statistics are those of a burst', async () => {
  const db = await openTables(database);
  await sql`update gateway.issuance set next_at = now()`.execute(db);
  await sql`analyze gateway.issuance`.execute(db);
  await sql`update gateway.issuance set next_at = null`.execute(db);
  await sql`vacuum gateway.issuance`.execute(db);
  const claim = (on: Db) => claimDue(on, 'issuance', randomUUID(), {}, 1);
  expect(await blocksRead(database, claim)).toBeLessThan(40);
});

it('the progress of an issuance reads its entries once, and a batch reads its own only', async () => {
  const db = await openTables(database);
  const id = randomUUID();
  const entries = 2_000;
  await sql`insert into gateway.issuance (id, issuer, request_id, fingerprint, batching, status)
    values (${id}, ${issuer}, ${id}, '', 'BATCHES_OF_250', 'SUBMITTING')`.execute(db);
  await sql`insert into gateway.issuance_batch (issuance_id, index, status, request_id)
    select ${id}, n, case when n = 0 then 'ACCEPTED' else 'PENDING' end, n::text
    from generate_series(0, 19) as n`.execute(db);
  await sql`insert into gateway.issuance_entry (issuance_id, index, batch, issuer, external_id, status, payload)
    select ${id}, n, n / 100, ${issuer}, n::text, case when n < 5 then 'ISSUED' when n < 7 then 'FAILED' else 'PENDING' end,
      '{}' from generate_series(0, ${entries - 1}::int) as n`.execute(db);
  expect([...(await readsOf(db).progress(issuer, [id]))]).toEqual([
    [id, { total: entries, accepted: 100, issued: 5, failed: 2, filesTotal: 0, filesReady: 0 }],
  ]);
  const all = await blocksRead(database, (on) =>
    readsOf(on).entries({ id, issuer }, { first: entries, afterIndex: -1 }),
  );
  expect(await blocksRead(database, (on) => readsOf(on).progress(issuer, [id]))).toBeLessThan(3 * all);
  // This batch is one of twenty.
  expect(await blocksRead(database, (on) => entriesOf(on, { issuance_id: id, index: 3 }))).toBeLessThan(
    all / 4,
  );
});
