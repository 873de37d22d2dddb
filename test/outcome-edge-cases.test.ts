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

/** An issuance of `count` records against a model of the service. */
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

it('a failure is believed when its own delivery proves that the request was accepted', async () => {
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
    expect((await one.visibleOutcomes()).filter(({ externalId }) => externalId === second)).toEqual([
      { externalId: second, type: 'SRR_FAILED' },
    ]);
  }
});

it('the answer to a request does not change what a delivery has reported before', async () => {
  const { world: one, service, first, second } = await world(2, []);
  const answer = service.issue.bind(service);
  service.issue = (async (request: IssueRequest) => {
    await one.deliver({ type: 'issue_complete', data: [{ externalId: first, tokenId: '4711' }] });
    return answer(request);
  }) as never;
  await one.work();
  expect(await one.entries()).toMatchObject([
    { status: 'ISSUED', outcome_source: 'WEBHOOK', token_id: '4711' },
    { status: 'WAITING_FOR_MINING', token_id: tokenOf(second) },
  ]);
});

it('two failures of a record that were held back are one event', async () => {
  const { world: one, service, first, second } = await world(2, ['lost after']);
  service.fates = ['lost after', 'not reached'];
  await one.work();
  for (const message of ['out of gas', 'nonce too low'])
    await one.deliver({ type: 'issue_failed', data: [{ externalId: second, message }] });
  await one.deliver({ type: 'issue_complete', data: [{ externalId: first, tokenId: tokenOf(first) }] });
  expect(await statuses(one)).toEqual(['ISSUED', 'FAILED']);
  expect((await one.visibleOutcomes()).map(({ type }) => type).sort()).toEqual(['SRR_FAILED', 'SRR_ISSUED']);
});

// PGlite has one connection, so no other transaction can hold a lock while a step runs.
it.runIf(process.env.TEST_DATABASE_URL)('a step settles nothing while the log is locked', async () => {
  const { world: one, issuer } = await world(1, []);
  await one.work();
  await one.hourPasses();
  await store.store.db.transaction().execute(async (trx) => {
    await lockLog(trx, issuer);
    await one.work();
  });
  expect((await one.row()).status).toBe('WAITING_FOR_MINING');
});

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

it('a record does not count as missing while its document cannot be read', async () => {
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

it('a record does not count as missing if it is older than all that were searched', async () => {
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

/** The error that the commerce client makes of a response with status 400. */
const refusal = (message: unknown, payload: Record<string, unknown>[]) => {
  const body = Buffer.from(JSON.stringify({ statusCode: 400, message }));
  const parsed = parseRefusal({ status: 400, headers: {}, body });
  return readRefusal(parsed as NonNullable<typeof parsed>, 400, payload);
};

it.each([
  ['is cut in the middle of a character', 'payload.0.metadata is invalid. Details: the title "\ud83c'],
  ['contains a NUL', 'payload.0.metadata is invalid. Details: the title "\u0000"'],
])('a refusal rejects the issuance when its text %s', async (_what, text) => {
  const { world: one, service } = await world(1, []);
  service.issue = ({ payload }) => {
    throw refusal(text, [...payload]);
  };
  await one.work();
  expect((await one.row()).status).toBe('REJECTED');
});

it('a refusal that lists the files of 2,000 entries rejects the issuance', async () => {
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
  ['the token id is known', true],
  ['the token id is not known', false],
])(
  'a request called successful is checked in the subgraph after an earlier failure, when %s',
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

/** Puts the second of two entries into a request of its own. */
async function sendApart({ id }: BeliefWorld): Promise<void> {
  const { db } = store.store;
  await db
    .insertInto('issuance_batch')
    .values({ issuance_id: id, index: 1, status: 'PENDING', request_id: `${id}-1` })
    .execute();
  await db
    .updateTable('issuance_entry')
    .set({ batch: 1 })
    .where('issuance_id', '=', id)
    .where('index', '=', 1)
    .execute();
}

/** Two records in two requests: the first is accepted, and `says` is the answer to every later one. */
async function twoRequests(says: () => never) {
  const all = await world(2, []);
  const { world: one, service } = all;
  await sendApart(one);
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
  ['does not reach the service', false],
  ['gets no answer', true],
])('an accepted request is followed while the next one %s', async (_what, maybeProcessed) => {
  const { world: one } = await twoRequests(unanswered(maybeProcessed));
  await store.store.db.updateTable('issuance').set({ attempts: 3 }).where('id', '=', one.id).execute();
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED', 'PENDING']);
});

it('an accepted request is followed even if its issuer left before the next one was sent', async () => {
  const { world: one } = await twoRequests(unanswered(false));
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

it('ambiguous records of another request do not prolong the wait for a lost one', async () => {
  const { world: one, service } = await twoRequests(unanswered(true));
  const { db } = store.store;
  // Two entries of the first request have the same published content, and no token ids.
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

it('a record is not that of a lost request while an equal entry of an accepted one waits for it', async () => {
  const { world: one, service, second } = await world(2, ['lost after'], successful);
  await sendApart(one);
  await sql`update gateway.issuance_entry set payload = payload || (select jsonb_build_object('metadata',
    payload->'metadata') from gateway.issuance_entry where issuance_id = ${one.id} and index = 0)
    where issuance_id = ${one.id}`.execute(store.store.db);
  const answer = service.issue.bind(service);
  service.issue = (request) => {
    if (request.payload[0]?.externalId !== second) return answer(request);
    if (service.indexed.size > 0) throw refusal('DUPLICATE_METADATA', [...request.payload]);
    service.mint(0);
    service.catchUp();
    return unanswered(true)();
  };
  await one.work();
  expect(await statuses(one)).toEqual(['WAITING_FOR_MINING', 'PENDING']);
  await one.hourPasses();
  await store.store.db.updateTable('issuance').set({ attempts: 3 }).where('id', '=', one.id).execute();
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED', 'FAILED']);
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

it('a first request refused as a duplicate is watched, as a proxy may have sent it twice', async () => {
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
  [
    'the duplicate of its first request',
    [],
    'Request Content Error: Current request already logged with status in_progress',
  ],
  ['the duplicate of a lost one', ['lost after', 'not reached'], duplicate],
] as [string, Fate[], string][])(
  'a refusal of %s fails no entry and has no line in the history once a delivery has reported one',
  async (_what, fates, text) => {
    const { world: one, service, first } = await world(2, []);
    service.fates = fates;
    if (fates.length > 0) await one.work();
    service.catchUp();
    await one.hourPasses();
    service.issue = (async ({ payload }: IssueRequest) => {
      await one.deliver({ type: 'issue_complete', data: [{ externalId: first, tokenId: tokenOf(first) }] });
      throw refusal(text, [...payload]);
    }) as never;
    await one.work();
    expect([(await one.row()).status, ...(await statuses(one))]).toEqual([
      'WAITING_FOR_MINING',
      'ISSUED',
      'WAITING_FOR_MINING',
    ]);
    const history = store.store.db.selectFrom('issuance_history').select('reason');
    expect(await history.where('issuance_id', '=', one.id).execute()).not.toContainEqual({
      reason: expect.stringContaining('the service refused'),
    });
  },
);

it.each([
  ['of a repeated request', true],
  ['after a delivery has reported one record', false],
])('a refusal %s is watched, as an earlier request may have been processed', async (_what, isRepeated) => {
  const { world: one, service, first } = await world(2, isRepeated ? ['lost after'] : []);
  const process = service.issue.bind(service);
  service.issue = (async (request: IssueRequest) => {
    if (service.accepted || !isRepeated) {
      service.accepted = true;
      if (!isRepeated)
        await one.deliver({ type: 'issue_complete', data: [{ externalId: first, tokenId: '1' }] });
      throw refusal('payload.0.metadata is invalid. Details: the title', [...request.payload]);
    }
    return process(request);
  }) as never;
  await one.work();
  expect(await statuses(one)).toEqual([isRepeated ? 'FAILED' : 'ISSUED', 'FAILED']);
  service.mint(1);
  service.catchUp();
  await one.watch();
  expect((await statuses(one)).at(-1)).toBe('ISSUED');
});

it.each([
  ['the first one if the service knows only the metadata', 'DUPLICATE_METADATA', 'ISSUED', 'FAILED'],
  ['the second one if the service knows its request', successful, 'FAILED', 'ISSUED'],
  ['the second one if the service knows its externalId', duplicate, 'FAILED', 'ISSUED'],
])(
  'a record that appears after a failure and a second issuance belongs to %s',
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
      // The record may belong to the later request as long as that has no answer.
      await one.watch();
      await again.hourPasses();
      await again.work();
    }
    await one.watch();
    expect([await statuses(one), await statuses(again)]).toEqual([[first], [second]]);
  },
);

it('a delivery with only a token id is not applied to a failed entry that is issued again', async () => {
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
  ['called successful, and a delivery comes', successful, true],
  ['called successful, and no delivery comes', successful, false],
  ['called a duplicate, and a delivery comes', duplicate, true],
  ['called a duplicate, and no delivery comes', duplicate, false],
])(
  'the record of two lost requests goes to exactly one of them when it is %s',
  async (_what, says, isDelivered) => {
    const { world: one, two, service, first } = await twins(says);
    await two.work();
    service.mint(0);
    if (isDelivered)
      await two.deliver({ type: 'issue_complete', data: [{ externalId: first, tokenId: tokenOf(first) }] });
    service.catchUp();
    for (let rounds = 0; rounds < 4; rounds++) {
      await two.work();
      await one.work();
      await one.hourPasses();
      await two.hourPasses();
    }
    const ends = [one, two].map(async (each) => [(await each.row()).status, ...(await statuses(each))]);
    expect(await Promise.all(ends)).toEqual([
      ['COMPLETED', 'ISSUED'],
      ['REJECTED', 'FAILED'],
    ]);
    expect((await one.visibleOutcomes()).filter(({ type }) => type === 'SRR_ISSUED')).toHaveLength(1);
  },
);

it('two lost requests for one record both stay open until a delivery names its owner', async () => {
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

it('a record that a delivery gives to another externalId is not that of a lost request', async () => {
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

it.each([
  ['with the same content', true],
  ['whose document may be the same, but cannot be read', false],
])('the record of an accepted entry is not that of a lost request %s', async (_what, isReadable) => {
  const { world: one, service, issuer } = await world(1, [], 'DUPLICATE_METADATA');
  await one.work();
  const again = new BeliefWorld(store.store.db, issuer, service, 'again');
  await again.begin();
  service.fates = ['lost before', 'not reached'];
  await again.work();
  service.mint(0);
  service.catchUp();
  service.documents = isReadable;
  for (const each of [again, one]) {
    await each.hourPasses();
    await each.work();
  }
  expect([(await again.row()).status, (await one.row()).status]).toEqual(['REJECTED', 'COMPLETED']);
  expect(await statuses(one)).toEqual(['ISSUED']);
});

it('a search for lost records begins before their request, because block times differ from the clock', async () => {
  const { world: one, service } = await world(1, ['lost after', 'not reached']);
  await one.work();
  await one.hourPasses();
  await one.work();
  const batch = store.store.db.selectFrom('issuance_batch').select('first_sent_at');
  const { first_sent_at: sent } = await batch.where('issuance_id', '=', one.id).executeTakeFirstOrThrow();
  expect((sent as Date).getTime() - (service.searchedSince as Date).getTime()).toBe(60_000);
});

it('a record that was reported while its request waited to be sent again is found after a lost answer', async () => {
  const { world: one, service, first } = await world(1, []);
  const process = service.issue.bind(service);
  service.issue = ({ payload }) => {
    throw refusal('Metadata file(s) not ready for IPFS publication (CID still being calculated)', [
      ...payload,
    ]);
  };
  await one.work();
  // A proxy has sent the request twice, and the second one is accepted.
  await one.deliver({ type: 'issue_complete', data: [{ externalId: first, tokenId: tokenOf(first) }] });
  service.issue = process;
  service.fates = ['lost after', 'not reached'];
  await one.work();
  service.mint(0);
  service.catchUp();
  await one.hourPasses();
  await one.work();
  expect(await statuses(one)).toEqual(['ISSUED']);
});

it('a record does not count as missing if those that were searched all belong to other entries', async () => {
  const { world: one, service, issuer } = await world(1, [], 'DUPLICATE_METADATA');
  await one.work();
  const again = new BeliefWorld(store.store.db, issuer, service, 'again');
  await again.begin();
  service.fates = ['lost before', 'not reached'];
  await again.work();
  service.mint(0);
  service.catchUp();
  service.isWhole = false;
  await again.hourPasses();
  await again.work();
  expect((await again.row()).status).toBe('OUTCOME_UNKNOWN');
  service.isWhole = true;
  await again.work();
  expect((await again.row()).status).toBe('REJECTED');
});

it.each([
  ['waits for another record', 'WAITING_FOR_MINING'],
  ['is not sent yet', 'PENDING'],
  ['has failed', 'FAILED'],
])('an entry that %s does not keep its equal from the record of a lost request', async (_what, status) => {
  const { world: one, service, issuer, first } = await world(1, [], duplicate);
  if (status !== 'PENDING') await one.work();
  if (status === 'FAILED')
    await sql`update gateway.issuance_entry set status = ${status}, token_id = null
      where issuance_id = ${one.id}`.execute(store.store.db);
  const again = new BeliefWorld(store.store.db, issuer, service, 'again');
  await again.begin();
  service.fates = ['lost before', 'not reached'];
  await again.work();
  service.entries.push({ externalId: first, tokenId: '4712', mintable: true, minted: true });
  service.catchUp();
  await again.hourPasses();
  await again.work();
  expect([await statuses(one), await statuses(again)]).toEqual([[status], ['ISSUED']]);
});

it('a record on chain belongs to that of two equal entries which has no token id yet', async () => {
  const { world: one, service, first, second } = await world(2, ['lost after']);
  await sql`update gateway.issuance_entry set payload = (select payload from gateway.issuance_entry
    where issuance_id = ${one.id} and index = 0) where issuance_id = ${one.id}`.execute(store.store.db);
  service.fates = ['lost after', 'not reached'];
  await one.work();
  (service.entries[1] as { externalId: string }).externalId = first;
  service.mint(0);
  service.mint(1);
  service.catchUp();
  await one.deliver({ type: 'issue_complete', data: [{ externalId: first, tokenId: tokenOf(first) }] });
  await one.hourPasses();
  await one.work();
  expect((await one.entries()).map(({ token_id }) => token_id)).toEqual([tokenOf(first), tokenOf(second)]);
});

it('a delivery decides which of two equal records belongs to a lost request', async () => {
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

it('a delivery that fits two lost requests makes the gateway ask the subgraph about both', async () => {
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
  // Both requests are repeated and lost before the same delivery comes again.
  service.fates = ['lost before', 'lost before'];
  await one.work();
  await two.work();
  await one.deliver(report);
  expect(await events()).toEqual(['UNRECOGNIZED']);
});

it('the refusal of a repeated request is not a failure of the one that was processed', async () => {
  const { world: one, service, first, second } = await world(2, ['lost after'], duplicate);
  service.fates = ['lost after', 'not reached'];
  await one.work();
  // The API document has the webhook called when issuance fails, which may include refused requests.
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
  expect((await one.visibleOutcomes()).map(({ type }) => type)).toEqual(['SRR_ISSUED', 'SRR_ISSUED']);
});

it('a failure with the text of a refusal is believed once the record should be on chain', async () => {
  const { world: one, first } = await world(1, []);
  await one.work();
  await one.deliver({ type: 'issue_failed', data: [{ externalId: first, message: 'SRR_NOT_CREATED: gas' }] });
  await one.work();
  expect(await statuses(one)).toEqual(['WAITING_FOR_MINING']);
  await one.hourPasses();
  await one.work();
  expect([(await one.row()).status, ...(await statuses(one))]).toEqual(['COMPLETED', 'FAILED']);
  expect((await one.visibleOutcomes()).map(({ type }) => type)).toEqual(['SRR_FAILED']);
});

/** Postpones the issuance to later than any test, and returns whether a delivery makes it due. */
async function becomesDueBy(one: BeliefWorld, report: object): Promise<boolean> {
  await store.store.db
    .updateTable('issuance')
    .set({ next_at: new Date(Date.now() + 3_600_000) })
    .where('id', '=', one.id)
    .execute();
  await one.deliver(report);
  return ((await one.row()).next_at as Date).getTime() <= Date.now();
}

it('a failure with the text of a refusal makes an idle issuance due at once', async () => {
  const { world: one, first } = await world(1, []);
  await one.work();
  const report = { type: 'issue_failed', data: [{ externalId: first, message: 'SRR_NOT_CREATED: gas' }] };
  expect(await becomesDueBy(one, report)).toBe(true);
  // The service now reports a later request with the same bytes.
  await sql`update gateway.issuance_batch set last_sent_at = clock_timestamp() where issuance_id = ${one.id}`.execute(
    store.store.db,
  );
  expect(await becomesDueBy(one, report)).toBe(true);
});

it('a report of an issued record whose token id is not known makes an idle issuance due at once', async () => {
  const { world: one, service, first } = await world(2, ['lost after']);
  service.fates = ['lost after', 'not reached'];
  await one.work();
  expect(await becomesDueBy(one, { type: 'issue_complete', data: [{ externalId: first }] })).toBe(true);
});

it('a failure with the text of a refusal may come by token id and before the answer', async () => {
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
  expect((await one.visibleOutcomes()).map(({ type }) => type)).toEqual(['SRR_FAILED']);
});

/** An issuance with a lease of 'the worker', and its batch as an earlier step has read it. */
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

it('a worker sends nothing once another worker has the lease of the issuance', async () => {
  const { context, batch, issue, stored } = await stepOf('a former worker', 'PENDING');
  await expect(post(context, batch)).rejects.toThrow(LeaseLost);
  expect(issue).not.toHaveBeenCalled();
  expect(await stored()).toMatchObject({ status: 'PENDING', sent: 0 });
});

it('a batch that a delivery has proved accepted stays accepted', async () => {
  const { context, batch, stored } = await stepOf('the worker', 'ACCEPTED');
  await changeBatch(context, batch, { status: 'UNKNOWN' });
  expect(await stored()).toMatchObject({ status: 'ACCEPTED' });
});

it('an issuance loses its key when accepted and when it ends, after which it cannot change', async () => {
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

it('a request that has another fault besides a file not ready is rejected at once', async () => {
  const { world: one, service } = await world(1, []);
  const notReady = 'Metadata file(s) not ready for IPFS publication (CID still being calculated)';
  service.issue = ({ payload }) => {
    throw refusal([notReady, 'payload.0.artistAddress must be a valid Ethereum addresses'], [...payload]);
  };
  await one.work();
  expect([(await one.row()).status, ...(await statuses(one))]).toEqual(['REJECTED', 'FAILED']);
});

it('a request is sent again when one file is not ready, whatever the other entries report', async () => {
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

it('a refusal is not reported if the request is sent again once a file is ready', async () => {
  const { world: one, service, first } = await world(1, []);
  const text = 'Metadata file(s) not ready for IPFS publication (CID still being calculated)';
  const process = service.issue.bind(service);
  service.issue = ({ payload }) => {
    throw refusal(text, [...payload]);
  };
  await one.work();
  await one.deliver({ type: 'issue_failed', data: [{ externalId: first, message: text }] });
  expect(await one.visibleOutcomes()).toEqual([]);
  service.issue = process;
  await one.work();
  service.mint(0);
  await one.deliver({ type: 'issue_complete', data: [{ externalId: first, tokenId: tokenOf(first) }] });
  expect(await statuses(one)).toEqual(['ISSUED']);
  expect((await one.visibleOutcomes()).map(({ type }) => type)).toEqual(['SRR_ISSUED']);
});

it.each([
  ['was never sent', 'Metadata file(s) not ready for IPFS publication (CID still being calculated)'],
  ['waits to be sent again', 'out of gas'],
])('a failure of a record that %s is reported as that of another program', async (state, message) => {
  const { world: one, service, first } = await world(1, []);
  service.issue = ({ payload }) => {
    throw refusal('Metadata file(s) not ready for IPFS publication (CID still being calculated)', [
      ...payload,
    ]);
  };
  if (state === 'waits to be sent again') await one.work();
  await one.deliver({ type: 'issue_failed', data: [{ externalId: first, message }] });
  expect(await one.visibleOutcomes()).toEqual([{ externalId: first, type: 'SRR_FAILED' }]);
  expect(await statuses(one)).toEqual(['PENDING']);
});

const reasons = async ({ id }: BeliefWorld) => {
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

it('the error of a failed record says that the service retries by itself', async () => {
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

it('a failure with another token id than the answer does not settle the entry', async () => {
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
      // The answer belongs to the repeated request.
      service.fates.push('not reached');
      await one.work();
      await deliver();
    }
    await one.work();
    if (comes === 'again after it') await deliver();
    await one.hourPasses();
    await one.work();
    expect([comes, ...(await statuses(one))]).toEqual([comes, 'WAITING_FOR_MINING']);
    expect(await one.visibleOutcomes()).toEqual([]);
    const unrecognized = await store.log().read(issuer, '0', 10, { types: ['UNRECOGNIZED'] });
    expect(unrecognized).toMatchObject([{ external_id: first, token_id: '4711', message: 'out of gas' }]);
  }
});

it('a signal is sent when an issuance changes its status or a record gets its outcome', async () => {
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
