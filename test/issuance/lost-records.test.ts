import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EventStore, eventStore } from '../_util/event-store.ts';
import {
  duplicate,
  refusal,
  sendApart,
  startIssuance,
  statuses,
  successful,
  twoRequests,
  unanswered,
} from '../_util/outcome-model/issuance.ts';
import { ModelledIssuance } from '../_util/outcome-model/modelled-issuance.ts';
import { type Fate, type ModelService, type ServiceEntry, tokenOf } from '../_util/outcome-model/service.ts';
import { storeIssuance } from '../_util/stored-issuance.ts';

let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const world = (count: number, fates: Fate[], says?: string) => startIssuance(store, count, fates, says);

/** Issues the records once more, under other externalIds, by a request that is lost before it arrives. */
async function issueAgain(issuer: Address, service: ModelService): Promise<ModelledIssuance> {
  const again = new ModelledIssuance(store.store.db, issuer, service, 'again');
  await again.begin();
  service.fates = ['lost before', 'not reached'];
  await again.work();
  return again;
}

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

it('ambiguous records of another request do not prolong the wait for a lost one', async () => {
  const { world: one, service } = await twoRequests(store, unanswered(true));
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
  await sendApart(store, one);
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
    const again = await issueAgain(issuer, service);
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
  const again = await issueAgain(issuer, service);
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
  const two = new ModelledIssuance(store.store.db, issuer, service);
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
  const again = await issueAgain(issuer, service);
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
  const again = await issueAgain(issuer, service);
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
  const again = await issueAgain(issuer, service);
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
  const again = await issueAgain(issuer, service);
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

it('a failure counts once equal records prove that its lost request was accepted', async () => {
  const { world: one, service, first } = await world(3, ['lost after', 'not reached']);
  await one.work();
  await sql`update gateway.issuance_entry set payload = (select payload from gateway.issuance_entry
    where issuance_id = ${one.id} and index = 0) where issuance_id = ${one.id} and index = 1`.execute(
    store.store.db,
  );
  const [, second, third] = service.entries as [ServiceEntry, ServiceEntry, ServiceEntry];
  second.externalId = first;
  await one.deliver({
    type: 'issue_failed',
    data: [{ externalId: third.externalId, message: 'out of gas' }],
  });
  service.mint(0);
  service.mint(1);
  service.catchUp();
  await one.hourPasses();
  await one.work();
  expect(await statuses(one)).toEqual(['WAITING_FOR_MINING', 'WAITING_FOR_MINING', 'FAILED']);
});

it('the chain is not watched for a request that was refused when it was first sent', async () => {
  const { world: one, service } = await world(1, []);
  service.issue = ({ payload }) => {
    throw refusal('Request Content Error: nope', [...payload]);
  };
  await one.work();
  expect(await statuses(one)).toEqual(['FAILED']);
  const batch = store.store.db.selectFrom('issuance_batch').select('watch_until');
  expect(await batch.where('issuance_id', '=', one.id).execute()).toEqual([{ watch_until: null }]);
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
