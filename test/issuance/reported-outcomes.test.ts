import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { IssueRequest } from '../../src/clients/commerce/commerce.ts';
import { type EventStore, eventStore } from '../_util/event-store.ts';
import {
  becomesDueBy,
  refusal,
  startIssuance,
  statuses,
  successful,
} from '../_util/outcome-model/issuance.ts';
import { type Fate, tokenOf } from '../_util/outcome-model/service.ts';

let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const world = (count: number, fates: Fate[], says?: string) => startIssuance(store, count, fates, says);

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
  // The chain proves such a failure wrong too.
  service.mint(1);
  service.catchUp();
  await one.watch();
  expect(await statuses(one)).toEqual(['ISSUED', 'ISSUED']);
  await one.end();
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

it.each<[string, Fate, string]>([
  ['does not count once the last one is accepted with its token id', 'lost before', 'WAITING_FOR_MINING'],
  ['counts in the end if the last one only proves that an earlier one was accepted', 'lost after', 'FAILED'],
])(
  'a failure with the text of a refusal that came before the last request %s',
  async (_what, fate, status) => {
    const { world: one, service, first } = await startIssuance(store, 1, [fate, 'not reached'], successful);
    await one.work();
    const message = 'Metadata file(s) not ready for IPFS publication (CID still being calculated)';
    await one.deliver({ type: 'issue_failed', data: [{ externalId: first, message }] });
    await one.work();
    service.catchUp();
    for (let hours = 0; hours < 3; hours++) {
      await one.hourPasses();
      await one.work();
    }
    expect(await one.entries()).toMatchObject([
      { status, token_id: fate === 'lost before' ? tokenOf(first) : null },
    ]);
  },
);

it('a report of an issued record whose token id is not known makes an idle issuance due at once', async () => {
  const { world: one, service, first } = await world(2, ['lost after']);
  service.fates = ['lost after', 'not reached'];
  await one.work();
  expect(await becomesDueBy(store, one, { type: 'issue_complete', data: [{ externalId: first }] })).toBe(
    true,
  );
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
