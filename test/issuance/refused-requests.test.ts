import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { IssueRequest } from '../../src/clients/commerce/commerce.ts';
import { type EventStore, eventStore } from '../_util/event-store.ts';
import {
  becomesDueBy,
  duplicate,
  refusal,
  startIssuance,
  statuses,
} from '../_util/outcome-model/issuance.ts';
import { type Fate, tokenOf } from '../_util/outcome-model/service.ts';

let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const world = (count: number, fates: Fate[], says?: string) => startIssuance(store, count, fates, says);

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

it('a failure with the text of a refusal makes an idle issuance due at once', async () => {
  const { world: one, first } = await world(1, []);
  await one.work();
  const report = { type: 'issue_failed', data: [{ externalId: first, message: 'SRR_NOT_CREATED: gas' }] };
  expect(await becomesDueBy(store, one, report)).toBe(true);
  // The service now reports a later request with the same bytes.
  await sql`update gateway.issuance_batch set last_sent_at = clock_timestamp() where issuance_id = ${one.id}`.execute(
    store.store.db,
  );
  expect(await becomesDueBy(store, one, report)).toBe(true);
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
