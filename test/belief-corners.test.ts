import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { parseRefusal } from '../src/clients/commerce/call.ts';
import type { IssueRequest } from '../src/clients/commerce/commerce.ts';
import { readRefusal } from '../src/clients/commerce/refusal.ts';
import type { BatchRow, IssuerStepContext } from '../src/issuance/flow.ts';
import { changeBatch, post } from '../src/issuance/submit/send-batch.ts';
import { transition } from '../src/issuance/transition.ts';
import { UpstreamError } from '../src/model/errors.ts';
import { endAllLeases, LeaseLost } from '../src/store/due-rows.ts';
import { lockLog } from '../src/store/lock-log.ts';
import type { IssuanceStatus } from '../src/store/tables.ts';
import { type Fate, ModelService, tokenOf } from './_util/belief/service.ts';
import { BeliefWorld } from './_util/belief/world.ts';
import { type EventStore, eventStore, issuerNumber } from './_util/event-store.ts';
import { storeIssuance } from './_util/stored-issuance.ts';

let store: EventStore;
let nextIssuer = 500;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const duplicate = 'DUPLICATE_EXTERNAL_ID';
const successful = 'Request Content Error: Current request already logged with status successful';

/** An issuance of so many records in front of a model of the service. */
async function world(count: number, fates: Fate[], says = duplicate) {
  const name = randomUUID().slice(0, 8);
  const entries = Array.from({ length: count }, (_, i) => {
    const externalId = `${name}-${i}`;
    return { externalId, tokenId: tokenOf(externalId), mintable: true, minted: false };
  });
  const service = new ModelService(entries, says);
  service.fates = fates;
  const issuer = issuerNumber(nextIssuer++);
  const world = new BeliefWorld(store.store.db, issuer, service);
  await world.begin();
  const [first, second] = entries.map(({ externalId }) => externalId) as [string, string];
  return { world, service, issuer, first, second };
}

const statuses = async (one: BeliefWorld) => (await one.entries()).map(({ status }) => status);

it('believes a failure that comes in one body with the proof that its request was accepted', async () => {
  for (const order of ['failed first', 'issued first']) {
    const { world: one, service, first, second } = await world(2, ['lost after']);
    await one.work();
    service.mint(0);
    const body = [
      { type: 'issue_failed', data: [{ externalId: second, message: 'out of gas' }] },
      { type: 'issue_complete', data: [{ externalId: first, tokenId: tokenOf(first) }] },
    ];
    await one.deliver(order === 'failed first' ? body : body.toReversed());
    await one.work();
    expect([order, ...(await statuses(one))]).toEqual([order, 'ISSUED', 'FAILED']);
    expect((await one.told()).filter(({ externalId }) => externalId === second)).toEqual([
      { externalId: second, type: 'SRR_FAILED' },
    ]);
  }
});

// PGlite has one connection, so nothing is locked there while a step runs.
it.runIf(process.env.TEST_DATABASE_URL)('finds nothing without the lock that deliveries need', async () => {
  const { world: one, issuer } = await world(1, []);
  await one.work();
  await one.hourPasses();
  await store.store.db.transaction().execute(async (trx) => {
    await lockLog(trx, issuer);
    await one.work();
  });
  expect((await one.row()).status).toBe('WAITING_FOR_MINING');
});

it('does not say of itself that it stopped when the database did not take an answer', async () => {
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

it('waits anew after a repeated request whose answer was lost with the process', async () => {
  const { world: one, service } = await world(1, ['lost before', 'not reached']);
  await one.work();
  await one.hourPasses();
  service.fates = ['crash after'];
  await one.work();
  service.catchUp();
  await one.work();
  // Its records cannot be on chain yet.
  expect((await one.row()).status).toBe('OUTCOME_UNKNOWN');
});

it.each<[string, Fate[]]>([
  ['failed when its records may have been created', ['500 after']],
  ['was sent twice on the way, and brings the second answer', Array<Fate>(50).fill('sent twice')],
])('waits anew after a repeated request that %s', async (_what, fates) => {
  const { world: one, service } = await world(1, ['lost before', 'not reached']);
  await one.work();
  await one.hourPasses();
  service.catchUp();
  service.fates = fates;
  await one.work();
  // Its records cannot be on chain yet.
  expect((await one.row()).status).toBe('OUTCOME_UNKNOWN');
  service.mint(0);
  service.catchUp();
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED']);
  expect((await one.told()).map(({ type }) => type)).toEqual(['SRR_ISSUED']);
});

it('does not wait anew after a repeated request that did not reach the service', async () => {
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

it('believes a failure in the end that the service repeats', async () => {
  const { world: one, service } = await world(1, Array<Fate>(50).fill('500 before'));
  await one.work();
  service.catchUp();
  await one.work();
  expect((await one.row()).status).toBe('OUTCOME_UNKNOWN');
  await one.hourPasses();
  await one.work();
  expect((await one.row()).status).toBe('REJECTED');
});

it('asks the subgraph also while the service cannot be reached', async () => {
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
    'its reference, while the answer is lost and the service away',
    ['lost after', 'lost after'],
    'externalId',
  ],
  ['its token alone, after the answer', [], 'tokenId'],
] as const)(
  'asks the subgraph at once about a record that a delivery of an unknown type names by %s',
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
  },
);

it('waits as long as the service says that it works on the request', async () => {
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

it('follows a request whose issuer left the configuration by what the subgraph shows', async () => {
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

it('does not take a record for missing whose document cannot be read', async () => {
  const { world: one, service } = await world(1, ['lost after']);
  await one.work();
  service.mint(0);
  service.catchUp();
  service.documents = false;
  await one.hourPasses();
  await one.work();
  expect((await one.row()).status).toBe('OUTCOME_UNKNOWN');
  service.documents = true;
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED']);
});

it('does not take a record for missing that is older than all that were searched', async () => {
  const { world: one, service } = await world(1, ['lost after']);
  await one.work();
  service.mint(0);
  service.catchUp();
  service.isBuried = true;
  for (let hours = 0; hours < 4; hours++) {
    await one.hourPasses();
    await one.work();
  }
  expect((await one.row()).status).toBe('OUTCOME_UNKNOWN');
  service.isBuried = false;
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED']);
});

/** What the client makes of an answer of 400. */
const refusal = (message: unknown, payload: Record<string, unknown>[]) => {
  const body = Buffer.from(JSON.stringify({ statusCode: 400, message }));
  const parsed = parseRefusal({ status: 400, headers: {}, body });
  return readRefusal(parsed as NonNullable<typeof parsed>, 400, payload);
};

it.each([
  ['cut in the middle of a character', 'payload.0.metadata is invalid. Details: the title "\ud83c'],
  ['with a NUL', 'payload.0.metadata is invalid. Details: the title "\u0000"'],
])('ends by a refusal %s', async (_what, text) => {
  const { world: one, service } = await world(1, []);
  service.issue = ({ payload }) => {
    throw refusal(text, [...payload]);
  };
  await one.work();
  expect((await one.row()).status).toBe('REJECTED');
});

it('ends by a refusal that lists the files of 2,000 entries', async () => {
  const { world: one, service } = await world(2_000, []);
  service.issue = ({ payload }) => {
    const lines = payload.map(
      ({ externalId }) => `[${externalId}] image: https://static.invalid/${'x'.repeat(200)}`,
    );
    throw refusal(`Metadata file(s) not found in storage\n${lines.join('\n')}`, [...payload]);
  };
  await one.work();
  expect((await one.row()).status).toBe('REJECTED');
});

it.each([
  ['its token id is known', true],
  ['its token id is not known', false],
])(
  'asks the subgraph when what the service calls successful may be an earlier issuance that could not be mined, and %s',
  async (_what, isKnown) => {
    const { world: one, service, issuer, first } = await world(1, ['lost after'], successful);
    // The same record of an earlier issuance was accepted and failed.
    await storeIssuance(store.store.db, issuer, {
      issuance: { status: 'COMPLETED' },
      batch: { status: 'ACCEPTED' },
      entries: [{ external_id: first, status: 'FAILED', token_id: isKnown ? tokenOf(first) : null }],
    });
    await one.work();
    expect((await one.row()).status).toBe('OUTCOME_UNKNOWN');
    service.mint(0);
    service.catchUp();
    await one.hourPasses();
    await one.work();
    expect(await statuses(one)).toEqual(['ISSUED']);
  },
);

/** Two records in two requests: the first is accepted, and `says` is the answer to every later one. */
async function twoRequests(says: () => never) {
  const all = await world(2, []);
  const { db } = store.store;
  const { world: one, service } = all;
  await db
    .insertInto('issuance_batch')
    .values({ issuance_id: one.id, index: 1, status: 'PENDING', request_id: `${one.id}-1` })
    .execute();
  await db
    .updateTable('issuance_entry')
    .set({ batch: 1 })
    .where('issuance_id', '=', one.id)
    .where('index', '=', 1)
    .execute();
  const answer = service.issue.bind(service);
  service.issue = (request) => (service.accepted ? says() : answer(request));
  await one.work();
  expect(await statuses(one)).toEqual(['WAITING_FOR_MINING', 'PENDING']);
  service.mint(0);
  service.catchUp();
  service.entries.pop();
  await one.hourPasses();
  return all;
}

const unanswered = (maybeProcessed: boolean) => (): never => {
  throw new UpstreamError(
    { code: 'UPSTREAM_UNAVAILABLE', message: 'not there' },
    { upstream: 'COMMERCE', maybeProcessed },
  );
};

it.each([
  ['is not reached', false],
  ['gives no answer', true],
])('follows what was accepted while the service %s for the next request', async (_what, maybeProcessed) => {
  const { world: one } = await twoRequests(unanswered(maybeProcessed));
  await store.store.db.updateTable('issuance').set({ attempts: 3 }).where('id', '=', one.id).execute();
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED', 'PENDING']);
});

it('follows what was accepted although the issuer has left before the next request', async () => {
  const { world: one } = await twoRequests(unanswered(false));
  one.key = false;
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED', 'PENDING']);
});

it('notes thousands of failures of an earlier request in one statement', async () => {
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

it('does not wait anew for a lost request whenever it finds records of another one that it cannot tell apart', async () => {
  const { world: one, service } = await twoRequests(unanswered(true));
  const { db } = store.store;
  // Two works of the first request have the same content in all that is published as it was sent, and no ids.
  await sql`update gateway.issuance_entry set token_id = null where issuance_id = ${one.id}`.execute(db);
  await sql`insert into gateway.issuance_entry (issuance_id, index, batch, issuer, external_id, status, payload)
    select issuance_id, 2, batch, issuer, external_id || '-b', status, payload from gateway.issuance_entry
    where issuance_id = ${one.id} and index = 0`.execute(db);
  await one.work();
  service.issue = ({ payload }) => {
    throw refusal(duplicate, [...payload]);
  };
  for (let rounds = 0; rounds < 4; rounds++) {
    await one.minutesPass(20);
    await db.updateTable('issuance').set({ attempts: 3 }).where('id', '=', one.id).execute();
    await one.work();
  }
  expect(await statuses(one)).toEqual(['WAITING_FOR_MINING', 'FAILED', 'WAITING_FOR_MINING']);
});

it('asks the subgraph when somebody on the way sends each request twice and brings the second answer', async () => {
  const { world: one, service } = await world(1, Array<Fate>(50).fill('sent twice'));
  await one.work();
  expect(service.fates.length).toBeGreaterThan(45);
  service.mint(0);
  service.catchUp();
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED']);
});

it('watches a first request that the service refuses because of an identical one: somebody on the way may have sent it twice', async () => {
  const { world: one, service } = await world(1, []);
  const process = service.issue.bind(service);
  service.issue = (request) => {
    process(request);
    throw refusal('Request Content Error: Current request already logged with status in_progress', [
      ...request.payload,
    ]) as Error;
  };
  await one.work();
  expect((await one.row()).status).toBe('REJECTED');
  service.mint(0);
  service.catchUp();
  await one.watch();
  expect(await one.row()).toMatchObject({ status: 'COMPLETED', error: null });
  expect(await statuses(one)).toEqual(['ISSUED']);
});

it.each([
  ['that of the first: the service knows the metadata alone', 'DUPLICATE_METADATA', 'ISSUED', 'FAILED'],
  ['that of the second: the service knows its request', successful, 'FAILED', 'ISSUED'],
  ['that of the second: the service knows its externalId', duplicate, 'FAILED', 'ISSUED'],
])(
  'a record that was reported as failed and shows while it is issued again is %s',
  async (_what, says, first, second) => {
    const { world: one, service, issuer } = await world(1, [], says);
    const externalId = service.entries[0]?.externalId as string;
    await one.work();
    await one.deliver({ type: 'issue_failed', data: [{ externalId, message: 'transaction underpriced' }] });
    const again = new BeliefWorld(store.store.db, issuer, service, 'again');
    await again.begin();
    service.fates = ['lost before', 'not reached'];
    await again.work();
    service.mint(0);
    service.catchUp();
    for (let i = 0; i < 3; i++) {
      // While the later request has no answer, the record may be that one's.
      await one.watch();
      await again.hourPasses();
      await again.work();
    }
    await one.watch();
    expect([await statuses(one), await statuses(again)]).toEqual([[first], [second]]);
  },
);

it('a delivery that names a record alone is not about a failed entry whose content is issued again', async () => {
  const { world: one, service, issuer, first } = await world(1, [], successful);
  await one.work();
  await one.deliver({ type: 'issue_failed', data: [{ externalId: first, message: 'out of gas' }] });
  const again = new BeliefWorld(store.store.db, issuer, service, 'again');
  await again.begin();
  service.fates = ['lost before', 'not reached'];
  await again.work();
  service.mint(0);
  await one.end();
  await again.deliver({ type: 'issue_complete', data: [{ tokenId: tokenOf(first) }] });
  const batch = store.store.db.selectFrom('issuance_batch').select('watch_until');
  expect(await batch.where('issuance_id', '=', one.id).execute()).toEqual([
    { watch_until: expect.any(Date) },
  ]);
  service.catchUp();
  await again.work();
  await again.hourPasses();
  await again.work();
  expect([await statuses(one), await statuses(again)]).toEqual([['FAILED'], ['ISSUED']]);
});

/** Two issuances of the same record: the request of the first was processed, that of the second was not. */
async function twins(says: string) {
  const all = await world(1, ['lost after'], says);
  const { world: one, service, issuer } = all;
  service.fates = ['lost after', 'not reached'];
  await one.work();
  const two = new BeliefWorld(store.store.db, issuer, service);
  await two.begin();
  service.fates = ['lost before', 'not reached'];
  await two.work();
  expect([(await one.row()).status, (await two.row()).status]).toEqual([
    'OUTCOME_UNKNOWN',
    'OUTCOME_UNKNOWN',
  ]);
  return { ...all, two };
}

it.each([
  ['which the service calls successful, and a delivery comes', successful, true],
  ['which the service calls successful, and no delivery comes', successful, false],
  ['whose externalId the service calls used, and a delivery comes', duplicate, true],
  ['whose externalId the service calls used, and no delivery comes', duplicate, false],
])(
  'gives the record of two lost requests for the same one to one of them: %s',
  async (_what, says, isTold) => {
    const { world: one, two, service, first } = await twins(says);
    await two.work();
    service.mint(0);
    if (isTold)
      await two.deliver({ type: 'issue_complete', data: [{ externalId: first, tokenId: tokenOf(first) }] });
    service.catchUp();
    for (let rounds = 0; rounds < 4; rounds++) {
      await two.work();
      await one.work();
      await one.hourPasses();
      await two.hourPasses();
    }
    const ends = [one, two].map(async (each) => [(await each.row()).status, ...(await statuses(each))]);
    expect((await Promise.all(ends)).sort()).toEqual([
      ['COMPLETED', 'ISSUED'],
      ['REJECTED', 'FAILED'],
    ]);
    expect((await one.told()).filter(({ type }) => type === 'SRR_ISSUED')).toHaveLength(1);
  },
);

it('refuses neither of two lost requests whose record it may be, until a delivery says whose it is', async () => {
  const { world: one, service, issuer, first } = await world(1, ['lost after'], 'DUPLICATE_METADATA');
  service.fates = ['lost after', 'not reached'];
  await one.work();
  const again = new BeliefWorld(store.store.db, issuer, service, 'again');
  await again.begin();
  service.fates = ['lost before', 'not reached'];
  await again.work();
  service.mint(0);
  service.catchUp();
  const rounds = async () => {
    for (let times = 0; times < 3; times++)
      for (const each of [one, again]) {
        await each.hourPasses();
        await each.work();
      }
    return [(await one.row()).status, (await again.row()).status];
  };
  expect(await rounds()).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
  await one.deliver({ type: 'issue_complete', data: [{ externalId: first, tokenId: tokenOf(first) }] });
  expect(await rounds()).toEqual(['COMPLETED', 'REJECTED']);
});

it('does not take the record that a delivery calls another program’s for that of a lost request', async () => {
  const { world: one, service, first } = await world(1, ['lost before', 'not reached'], 'DUPLICATE_METADATA');
  await one.work();
  service.accepted = true;
  service.mint(0);
  await one.deliver({ type: 'issue_complete', data: [{ externalId: 'theirs', tokenId: tokenOf(first) }] });
  service.catchUp();
  await one.hourPasses();
  await one.work();
  await one.watch();
  expect([(await one.row()).status, ...(await statuses(one))]).toEqual(['REJECTED', 'FAILED']);
});

it('does not take the record of an accepted entry for that of a lost request with its content', async () => {
  const { world: one, service, issuer } = await world(1, [], 'DUPLICATE_METADATA');
  await one.work();
  const again = new BeliefWorld(store.store.db, issuer, service, 'again');
  await again.begin();
  service.fates = ['lost before', 'not reached'];
  await again.work();
  service.mint(0);
  service.catchUp();
  for (const each of [again, one]) {
    await each.hourPasses();
    await each.work();
  }
  expect([(await again.row()).status, (await one.row()).status]).toEqual(['REJECTED', 'COMPLETED']);
  expect(await statuses(one)).toEqual(['ISSUED']);
});

it('leaves it to a delivery which of two equal records is that of a lost request', async () => {
  const { world: one, service, first } = await world(1, ['lost after', 'not reached']);
  await one.work();
  service.entries.push({ externalId: first, tokenId: '4711', mintable: true, minted: false });
  service.mint(0);
  service.mint(1);
  service.catchUp();
  await one.hourPasses();
  await one.work();
  expect(await statuses(one)).toEqual(['WAITING_FOR_MINING']);
  await one.deliver({ type: 'issue_complete', data: [{ externalId: first, tokenId: tokenOf(first) }] });
  expect((await one.entries()).map(({ token_id }) => token_id)).toEqual([tokenOf(first)]);
});

it('asks the subgraph about both of two lost requests that a delivery may be about, and holds it for neither', async () => {
  const { world: one, two, service, issuer, first } = await twins(duplicate);
  const events = async () =>
    (
      await store.store.db
        .selectFrom('event')
        .select('type')
        .where('issuer', '=', issuer)
        .orderBy('cursor')
        .execute()
    ).map(({ type }) => type);
  const report = { type: 'issue_failed', data: [{ externalId: first, message: 'out of gas' }] };
  await one.deliver(report);
  expect([(await one.row()).ask_index_at, (await two.row()).ask_index_at]).toEqual([
    expect.any(Date),
    expect.any(Date),
  ]);
  expect(await events()).toEqual(['UNRECOGNIZED']);
  // Both requests are sent once more, and lost, before the service sends the same bytes.
  service.fates = ['lost before', 'lost before'];
  await one.work();
  await two.work();
  await one.deliver(report);
  expect(await events()).toEqual(['UNRECOGNIZED']);
});

it('does not take the refusal of a repeated request for the failure of the one that was processed', async () => {
  const { world: one, service, first, second } = await world(2, ['lost after'], duplicate);
  service.fates = ['lost after', 'not reached'];
  await one.work();
  // The document says that the webhook is called when issuance fails, and may mean refused requests too.
  const refused = { type: 'issue_failed', data: [{ externalId: first, message: duplicate }] };
  const cancelled = 'SRR_NOT_CREATED: Not created because there is SRR in the same batch that error';
  await one.deliver([refused, { type: 'issue_failed', data: [{ externalId: second, message: cancelled }] }]);
  service.mint(0);
  await one.deliver({ type: 'issue_complete', data: [{ externalId: first, tokenId: tokenOf(first) }] });
  expect(await statuses(one)).toEqual(['ISSUED', 'WAITING_FOR_MINING']);
  await one.deliver({ ...refused, data: [{ externalId: second, message: duplicate }] });
  expect(await statuses(one)).toEqual(['ISSUED', 'WAITING_FOR_MINING']);
  service.mint(1);
  service.catchUp();
  await one.hourPasses();
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED', 'ISSUED']);
  expect((await one.told()).map(({ type }) => type)).toEqual(['SRR_ISSUED', 'SRR_ISSUED']);
});

it('believes a failure with the text of a refusal once the record should be on chain', async () => {
  const { world: one, first } = await world(1, []);
  await one.work();
  await one.deliver({ type: 'issue_failed', data: [{ externalId: first, message: 'SRR_NOT_CREATED: gas' }] });
  await one.work();
  expect(await statuses(one)).toEqual(['WAITING_FOR_MINING']);
  await one.hourPasses();
  await one.work();
  expect([(await one.row()).status, ...(await statuses(one))]).toEqual(['COMPLETED', 'FAILED']);
  expect((await one.told()).map(({ type }) => type)).toEqual(['SRR_FAILED']);
});

it('looks again soon when such a failure comes after a day', async () => {
  const { world: one, issuer, first } = await world(1, []);
  await one.work();
  const { db } = store.store;
  const rest = () =>
    db
      .updateTable('issuance')
      .set({ next_at: new Date(Date.now() + 3_600_000) })
      .where('issuer', '=', issuer)
      .execute();
  const isDue = async () => ((await one.row()).next_at as Date).getTime() <= Date.now();
  const report = { type: 'issue_failed', data: [{ externalId: first, message: 'SRR_NOT_CREATED: gas' }] };
  await rest();
  await one.deliver(report);
  expect(await isDue()).toBe(true);
  // The service sends the same bytes of a later request.
  await rest();
  await sql`update gateway.issuance_batch set last_sent_at = clock_timestamp() where issuance_id = ${one.id}`.execute(
    db,
  );
  await one.deliver(report);
  expect(await isDue()).toBe(true);
});

it('believes such a failure also when it named the record by its token alone, before the service answered', async () => {
  const { world: one, service, first } = await world(1, []);
  const report = { tokenId: tokenOf(first), message: 'SRR_NOT_CREATED: gas' };
  const answer = service.issue.bind(service);
  service.issue = ((request: IssueRequest) =>
    one.deliver({ type: 'issue_failed', data: [report] }).then(() => answer(request))) as never;
  await one.work();
  expect(await statuses(one)).toEqual(['WAITING_FOR_MINING']);
  await one.hourPasses();
  await one.work();
  expect([(await one.row()).status, ...(await statuses(one))]).toEqual(['COMPLETED', 'FAILED']);
  expect((await one.told()).map(({ type }) => type)).toEqual(['SRR_FAILED']);
});

/** A stored issuance that a worker has, and the batch that another step read before. */
async function stepOf(owner: string, status: BatchRow['status']) {
  const { db } = store.store;
  const issuer = issuerNumber(nextIssuer++);
  const id = await storeIssuance(db, issuer, {
    issuance: { status: 'SUBMITTING', lease_owner: 'the worker', lease_until: new Date(Date.now() + 60_000) },
    batch: { status },
    entries: [{ external_id: 'one', status: 'PENDING' }],
  });
  const stored = () =>
    db.selectFrom('issuance_batch').selectAll().where('issuance_id', '=', id).executeTakeFirstOrThrow();
  const issue = vi.fn();
  const context = { deps: { db, commerce: { issue } }, issuance: { id, issuer }, owner };
  const batch: BatchRow = { ...(await stored()), status: 'PENDING' };
  return { context: context as unknown as IssuerStepContext, batch, issue, stored };
}

it('sends nothing once another worker has the issuance', async () => {
  const { context, batch, issue, stored } = await stepOf('a former worker', 'PENDING');
  await expect(post(context, batch)).rejects.toThrow(LeaseLost);
  expect(issue).not.toHaveBeenCalled();
  expect(await stored()).toMatchObject({ status: 'PENDING', sent: 0 });
});

it('leaves a batch accepted that a delivery proved to be meanwhile', async () => {
  const { context, batch, stored } = await stepOf('the worker', 'ACCEPTED');
  await changeBatch(context, batch, { status: 'UNKNOWN' });
  expect(await stored()).toMatchObject({ status: 'ACCEPTED' });
});

it('erases the key of an issuance when all is accepted and at its end, and moves it no more', async () => {
  const { db } = store.store;
  const id = await storeIssuance(db, issuerNumber(nextIssuer++), {
    issuance: {
      status: 'SUBMITTING',
      sealed_key: Buffer.from('sealed'),
      next_at: new Date(),
      lease_owner: 'a worker',
    },
    batch: { status: 'ACCEPTED' },
    entries: [{ external_id: 'one', status: 'ISSUED' }],
  });
  const stored = () => db.selectFrom('issuance').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const move = async (status: IssuanceStatus) => transition(db, await stored(), status, 'the test moves it');
  await move('WAITING_FOR_MINING');
  expect(await stored()).toMatchObject({ status: 'WAITING_FOR_MINING', sealed_key: null });
  await db
    .updateTable('issuance')
    .set({ sealed_key: Buffer.from('of an older release') })
    .where('id', '=', id)
    .execute();
  await move('COMPLETED');
  const ended = await stored();
  expect(ended).toMatchObject({ status: 'COMPLETED', sealed_key: null, next_at: null, lease_owner: null });
  await move('SUBMITTING');
  expect(await stored()).toEqual(ended);
});

it('rejects at once what another fault than a file that is not ready would stop anyway', async () => {
  const { world: one, service } = await world(1, []);
  const notReady = 'Metadata file(s) not ready for IPFS publication (CID still being calculated)';
  service.issue = ({ payload }) => {
    throw refusal([notReady, 'payload.0.artistAddress must be a valid Ethereum addresses'], [...payload]);
  };
  await one.work();
  expect([(await one.row()).status, ...(await statuses(one))]).toEqual(['REJECTED', 'FAILED']);
});

it('sends again what one file stops that is not ready, whatever is said of the other entries', async () => {
  const { world: one, service, first, second } = await world(2, []);
  const process = service.issue.bind(service);
  const cancelled = 'SRR_NOT_CREATED: Not created because there is SRR in the same batch that error';
  service.issue = ({ payload }) => {
    const results = [
      {
        status: 'failed',
        externalId: first,
        message: 'Attachment hash not ready for https://a.invalid/b.pdf.',
      },
      { status: 'failed', externalId: second, message: cancelled },
    ];
    throw refusal({ results }, [...payload]);
  };
  await one.work();
  expect((await one.row()).status).toBe('SUBMITTING');
  service.issue = process;
  await one.work();
  expect(await statuses(one)).toEqual(['WAITING_FOR_MINING', 'WAITING_FOR_MINING']);
});

it('does not tell the refusal of a request that is sent again as soon as a file is ready', async () => {
  const { world: one, service, first } = await world(1, []);
  const text = 'Metadata file(s) not ready for IPFS publication (CID still being calculated)';
  const process = service.issue.bind(service);
  service.issue = ({ payload }) => {
    throw refusal(text, [...payload]);
  };
  await one.work();
  await one.deliver({ type: 'issue_failed', data: [{ externalId: first, message: text }] });
  expect(await one.told()).toEqual([]);
  service.issue = process;
  await one.work();
  service.mint(0);
  await one.deliver({ type: 'issue_complete', data: [{ externalId: first, tokenId: tokenOf(first) }] });
  expect(await statuses(one)).toEqual(['ISSUED']);
  expect((await one.told()).map(({ type }) => type)).toEqual(['SRR_ISSUED']);
});

const reasons = async ({ id }: BeliefWorld) => {
  const history = store.store.db.selectFrom('issuance_history').select('reason').orderBy('id');
  return (await history.where('issuance_id', '=', id).execute()).map(({ reason }) => reason);
};

it('says in the history, once, why a request is sent again', async () => {
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

it('says in the history, once, that the key was withdrawn while an answer is lost', async () => {
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

it('waits anew also when deliveries about other records have filled the history', async () => {
  const { world: one, service, first } = await twoRequests(unanswered(true));
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
  // Its record may have been created just now.
  expect([(await one.row()).status, ...(await statuses(one))]).toEqual([
    'OUTCOME_UNKNOWN',
    'ISSUED',
    'PENDING',
  ]);
  await one.hourPasses();
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED', 'FAILED']);
});

it('tells whose record failed to wait for what the service retries by itself', async () => {
  const { world: one, service, first } = await world(1, []);
  await one.work();
  const data = [{ externalId: first, message: 'nonce out of sync' }];
  await one.deliver({ type: 'issue_failed', data });
  const stored = store.store.db.selectFrom('issuance_entry').select(['status', 'error']);
  const entry = () => stored.where('issuance_id', '=', one.id).executeTakeFirstOrThrow();
  const { status, error } = await entry();
  expect([status, error?.message]).toEqual(['FAILED', expect.stringContaining('retries by itself')]);
  service.mint(0);
  await one.deliver({ type: 'issue_complete', data: [{ externalId: first, tokenId: tokenOf(first) }] });
  expect(await entry()).toEqual({ status: 'ISSUED', error: null });
});

it('takes no failure with another token id than the answer for that of the entry, whenever it comes', async () => {
  for (const comes of ['before the answer', 'again after it']) {
    const {
      world: one,
      service,
      first,
      issuer,
    } = await world(1, comes === 'again after it' ? ['lost before'] : []);
    const data = [{ externalId: first, tokenId: '4711', message: 'out of gas' }];
    const deliver = () => one.deliver({ type: 'issue_failed', data });
    const issue = service.issue.bind(service);
    if (comes === 'before the answer')
      vi.spyOn(service, 'issue').mockImplementation((async (request: IssueRequest) => {
        await deliver();
        return issue(request);
      }) as never);
    else {
      // The answer is that of a later request.
      service.fates.push('not reached');
      await one.work();
      await deliver();
    }
    await one.work();
    if (comes === 'again after it') await deliver();
    await one.hourPasses();
    await one.work();
    expect([comes, ...(await statuses(one))]).toEqual([comes, 'WAITING_FOR_MINING']);
    expect(await one.told()).toEqual([]);
    const shown = await store.log().read(issuer, '0', 10, { types: ['UNRECOGNIZED'] });
    expect(shown).toMatchObject([{ external_id: first, token_id: '4711', message: 'out of gas' }]);
  }
});

it('wakes whoever waits for an issuance when it moves, and when one of its records has its outcome', async () => {
  const { world: one, service, first } = await world(2, []);
  const wake = vi.fn();
  const end = store.store.signals.on('issuance', one.id, wake);
  await one.work();
  expect([(await one.row()).status, wake.mock.calls.length]).toEqual(['WAITING_FOR_MINING', 1]);
  service.mint(0);
  await one.deliver({ type: 'issue_complete', data: [{ externalId: first }] });
  expect([(await one.row()).status, wake.mock.calls.length]).toEqual(['WAITING_FOR_MINING', 2]);
  end();
});
