import { silent } from '@srr-gateway/common/testing/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dropOldBodies } from '../../src/events/retention.ts';
import { appendEvents } from '../../src/store/append-events.ts';
import { lockLog } from '../../src/store/lock-log.ts';
import type { EventRow } from '../../src/store/tables.ts';
import { snippetsOf } from '../_util/doc-snippets.ts';
import { type EventStore, eventStore, failures, issuerNumber } from '../_util/event-store.ts';

const day = 86_400_000;
let events: EventStore;

beforeAll(async () => {
  events = await eventStore();
});
afterAll(() => events?.stop());

// Another one in each run of a test: its retry finds the events of the first run.
let run = 0;
let issuer = issuerNumber(run);
beforeEach(() => {
  issuer = issuerNumber(++run);
});

const drop = () =>
  dropOldBodies({ db: events.store.db, log: silent, keepMs: 30 * day }, new AbortController().signal);

async function rows(): Promise<EventRow[]> {
  return events.log().read(issuer, '0', 1_000, {});
}

async function age(days: number): Promise<void> {
  await sql`update gateway.event set received_at = received_at - make_interval(days => ${days})`.execute(
    events.store.db,
  );
}

describe('the retention of events', () => {
  it('drops the bodies of old deliveries, and nothing else', async () => {
    const metadata = { name: 'a whole document', pages: 'x'.repeat(10_000) };
    const old = failures(700, { metadata, message: 'out of gas' });
    await events.deliver(issuer, old);
    const [puzzling] = failures(1);
    await events.deliver(issuer, [puzzling as object], 'a_kind_of_tomorrow');
    const before = await rows();
    await age(31);
    const [young] = failures(1);
    await events.deliver(issuer, [young as object]);
    await drop();

    const after = await rows();
    // Everything but the body is kept: cursors, types, ids, messages and deduplication keys.
    const kept = (row: EventRow) => ({ ...row, raw: null, raw_dropped: null, received_at: null });
    expect(after.slice(0, 701).map(kept)).toEqual(before.map(kept));
    expect(after.slice(0, 700).every(({ raw }) => Object.keys(raw).length === 0)).toBe(true);
    expect(after.slice(700).map(({ raw }) => raw)).toEqual([puzzling, young]);
  });

  it('keeps the bodies of events without a delivery, which hold the only copy of an error', async () => {
    const raw = { externalId: 'refused', error: { code: 'DUPLICATE_CHIP', message: 'The chip is taken.' } };
    await events.store.db.transaction().execute(async (trx) => {
      await lockLog(trx, issuer);
      const ids = { externalId: 'refused', tokenId: null, collection: null };
      const from = { kind: 'response', source: 'RESPONSE', dedupe: 'refused' } as const;
      await appendEvents(trx, issuer, [{ type: 'SRR_FAILED', ...from, ...ids, message: null, raw }]);
    });
    await age(31);
    await drop();
    expect((await rows()).at(-1)?.raw).toEqual(raw);
  });

  it('does not let a repeated delivery be stored again', async () => {
    const again = failures(1, { message: 'out of gas' });
    await events.deliver(issuer, again);
    await age(31);
    await drop();
    const { length } = await rows();
    await events.deliver(issuer, again);
    expect(await rows()).toHaveLength(length);
  });
});

it('a restored log continues beyond the lost cursors after the SQL of running.md', async () => {
  const { db } = events.store;
  await events.deliver(issuer, failures(5));
  const last = await events.log().head(issuer);
  await db.deleteFrom('event').where('issuer', '=', issuer).where('cursor', '>', '2').execute();
  await db.updateTable('event_head').set({ cursor: '2' }).where('issuer', '=', issuer).execute();
  const [move] = snippetsOf('docs/operate/running.md').filter(({ language }) => language === 'sql');
  await sql.raw(move?.code ?? '').execute(db);
  await events.deliver(issuer, failures(4));
  await events.log().checkPosition(issuer, last);
  expect(await events.log().read(issuer, last, 10, {})).toHaveLength(4);
});
