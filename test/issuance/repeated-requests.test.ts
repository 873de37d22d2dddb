import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { IssueRequest } from '../../src/clients/commerce/commerce.ts';
import { readRefusal } from '../../src/clients/commerce/refusal.ts';
import { UpstreamError } from '../../src/model/errors.ts';
import { endAllLeases } from '../../src/store/due-rows.ts';
import { type EventStore, eventStore } from '../_util/event-store.ts';
import {
  duplicate,
  refusal,
  startIssuance,
  statuses,
  twoRequests,
  unanswered,
} from '../_util/outcome-model/issuance.ts';
import type { ModelledIssuance } from '../_util/outcome-model/modelled-issuance.ts';
import { type Fate, tokenOf } from '../_util/outcome-model/service.ts';

let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const world = (count: number, fates: Fate[], says?: string) => startIssuance(store, count, fates, says);

it('the history names gateway or database as the cause when an answer was not stored', async () => {
  const { db } = store.store;
  const { world: one, first } = await world(1, []);
  await sql`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no space'; end $$`.execute(db);
  await sql`create trigger refuse before update on gateway.issuance_entry for each row
    when (new.external_id = ${sql.lit(first)}) execute function refuse()`.execute(db);
  await expect(one.work()).rejects.toThrow('no space');
  await sql`drop function refuse() cascade`.execute(db);
  await endAllLeases(db, 'issuance');
  await one.work();
  const history = await db
    .selectFrom('issuance_history')
    .select('reason')
    .where('issuance_id', '=', one.id)
    .where('status', '=', 'OUTCOME_UNKNOWN')
    .execute();
  expect(history).toEqual([{ reason: 'no answer was stored, because the gateway or its database failed' }]);
});

it('an issuance waits again after a repeated request whose answer was lost in a crash', async () => {
  const { world: one, service } = await world(1, ['lost before', 'not reached']);
  await one.work();
  await one.hourPasses();
  service.fates = ['crash after'];
  await one.work();
  service.catchUp();
  await one.work();
  // The records of the repeated request cannot be on chain yet.
  expect((await one.row()).status).toBe('OUTCOME_UNKNOWN');
});

it.each<[string, Fate[]]>([
  ['failed after its records may have been created', ['500 after']],
  ['a proxy sent twice, passing on the second answer', Array<Fate>(50).fill('sent twice')],
])('an issuance waits again after a repeated request that %s', async (_what, fates) => {
  const { world: one, service } = await world(1, ['lost before', 'not reached']);
  await one.work();
  await one.hourPasses();
  service.catchUp();
  service.fates = fates;
  await one.work();
  // The records of the repeated request cannot be on chain yet.
  expect((await one.row()).status).toBe('OUTCOME_UNKNOWN');
  service.mint(0);
  service.catchUp();
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED']);
  expect((await one.visibleOutcomes()).map(({ type }) => type)).toEqual(['SRR_ISSUED']);
});

it('an issuance does not wait again after a repeated request that did not arrive', async () => {
  const { world: one, service } = await world(1, ['lost before', 'not reached']);
  await one.work();
  await one.hourPasses();
  service.catchUp();
  service.fates = ['not reached'];
  await one.work();
  service.issue = ({ payload }) => {
    throw refusal(duplicate, [...payload]);
  };
  await one.work();
  expect((await one.row()).status).toBe('REJECTED');
});

it('a failure that the service repeats is believed in the end', async () => {
  const { world: one, service } = await world(1, Array<Fate>(50).fill('500 before'));
  await one.work();
  service.catchUp();
  await one.work();
  expect((await one.row()).status).toBe('OUTCOME_UNKNOWN');
  await one.hourPasses();
  await one.work();
  expect((await one.row()).status).toBe('REJECTED');
});

it('an issuance is looked up in the subgraph even while the service is unreachable', async () => {
  const { world: one, service } = await world(1, ['lost after']);
  service.fates = ['lost after', ...Array<Fate>(50).fill('not reached')];
  await one.work();
  service.mint(0);
  service.catchUp();
  await one.hourPasses();
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED']);
});

it.each([
  [
    'externalId while the answer is lost and the service is unreachable',
    ['lost after', 'lost after'],
    'externalId',
  ],
  ['token id alone after the answer', [], 'tokenId'],
] as const)(
  'a delivery of an unknown type makes the gateway ask the subgraph at once, by %s',
  async (_what, fates, field) => {
    const { world: one, service, first } = await world(1, [...fates]);
    if (fates.length > 0) service.fates.push(...Array<Fate>(50).fill('not reached'));
    await one.work();
    service.mint(0);
    service.catchUp();
    await one.work();
    expect(await statuses(one)).not.toEqual(['ISSUED']);
    const ids = { externalId: first, tokenId: tokenOf(first) };
    await one.deliver({ type: 'record_heard_of', data: [{ [field]: ids[field] }] });
    await one.work();
    expect(await statuses(one)).toEqual(['ISSUED']);
    expect((await reasons(one)).join()).not.toContain('a delivery reports');
  },
);

it('an issuance waits as long as the service calls its request in progress', async () => {
  const { world: one, service } = await world(1, ['lost before', 'not reached']);
  await one.work();
  service.issue = ({ payload }) => {
    throw refusal('Request Content Error: Current request already logged with status in_progress', [
      ...payload,
    ]);
  };
  service.catchUp();
  for (let hours = 0; hours < 4; hours++) {
    await one.hourPasses();
    await one.work();
  }
  expect((await one.row()).status).toBe('OUTCOME_UNKNOWN');
});

it('a request is followed in the subgraph after its issuer left the configuration', async () => {
  const { world: one, service } = await world(2, ['lost after']);
  await one.work();
  one.key = false;
  service.mint(0);
  service.catchUp();
  await one.work();
  expect([(await one.row()).status, ...(await statuses(one))]).toEqual([
    'WAITING_FOR_MINING',
    'ISSUED',
    'WAITING_FOR_MINING',
  ]);
});

it.each([
  ['does not reach the service', false],
  ['gets no answer', true],
])('an accepted request is followed while the next one %s', async (_what, maybeProcessed) => {
  const { world: one } = await twoRequests(store, unanswered(maybeProcessed));
  await store.store.db.updateTable('issuance').set({ attempts: 3 }).where('id', '=', one.id).execute();
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED', 'PENDING']);
});

it('an accepted request is followed even if its issuer left before the next one was sent', async () => {
  const { world: one } = await twoRequests(store, unanswered(false));
  one.key = false;
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED', 'PENDING']);
});

it('thousands of failures of an earlier request are recorded in one statement', async () => {
  const { world: one, service } = await world(2_000, ['lost before', 'not reached']);
  await one.work();
  const data = service.entries.map(({ externalId }) => ({ externalId, message: 'lost' }));
  await one.deliver({ type: 'issue_failed', data });
  const before = await one.row();
  await one.work();
  const after = await one.row();
  expect(after.status).toBe('WAITING_FOR_MINING');
  expect(after.version - before.version).toBeLessThan(10);
});

it('a request is settled by the subgraph when a proxy sends it twice', async () => {
  const { world: one, service } = await world(1, Array<Fate>(50).fill('sent twice'));
  await one.work();
  expect(service.fates.length).toBeGreaterThan(45);
  service.mint(0);
  service.catchUp();
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED']);
});

const reasons = async ({ id }: ModelledIssuance) => {
  const history = store.store.db.selectFrom('issuance_history').select('reason').orderBy('id');
  return (await history.where('issuance_id', '=', id).execute()).map(({ reason }) => reason);
};

it('the history says once why a request is sent again', async () => {
  const notReady = 'Metadata file(s) not ready for IPFS publication (CID still being calculated)';
  const busy = { code: 'RATE_LIMITED', message: 'The issuance service asks for fewer calls.' } as const;
  const { world: one, service } = await world(1, []);
  const process = service.issue.bind(service);
  const answers = [
    ({ payload }: IssueRequest) => refusal(notReady, [...payload]),
    () => new UpstreamError(busy, { upstream: 'COMMERCE', maybeProcessed: false, status: 429 }),
  ];
  for (const answer of answers) {
    service.issue = (request) => {
      throw answer(request);
    };
    for (let times = 0; times < 3; times++) await one.work();
    expect((await one.row()).status).toBe('SUBMITTING');
  }
  const again = 'not processed, so the gateway sends the request again: ';
  expect(await reasons(one)).toEqual([`${again}${notReady}`, `${again}${busy.message}`]);
  service.issue = process;
  await one.work();
  expect((await one.row()).status).toBe('WAITING_FOR_MINING');
});

it('the history says once that the key was withdrawn while an answer is lost', async () => {
  const { world: one, service } = await world(1, ['lost before', 'not reached']);
  await one.work();
  const withdrawn = 'API Key is not valid for this issuer';
  const process = service.issue.bind(service);
  service.issue = ({ payload }) => {
    throw refusal(withdrawn, [...payload]);
  };
  for (let times = 0; times < 3; times++) {
    await one.work();
    await one.hourPasses();
  }
  expect((await one.row()).status).toBe('OUTCOME_UNKNOWN');
  expect((await reasons(one)).filter((reason) => reason.endsWith(withdrawn))).toHaveLength(1);
  service.issue = process;
  await one.work();
  expect((await one.row()).status).toBe('WAITING_FOR_MINING');
});

it('an issuance waits again even if deliveries about other records fill the history', async () => {
  const { world: one, service, first } = await twoRequests(store, unanswered(true));
  await one.work();
  for (let attempt = 0; attempt < 25; attempt++)
    await one.deliver({
      type: 'issue_complete',
      data: [{ externalId: first, tokenId: tokenOf(first), attempt }],
    });
  await one.hourPasses();
  service.issue = ({ payload }) => {
    throw readRefusal({ kind: 'texts', texts: ['UNKNOWN_ERROR: external ID: x'] }, 500, payload);
  };
  await one.work();
  // The failed request may have created its record just now.
  expect([(await one.row()).status, ...(await statuses(one))]).toEqual([
    'OUTCOME_UNKNOWN',
    'ISSUED',
    'PENDING',
  ]);
  await one.hourPasses();
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED', 'FAILED']);
});
