import type { Address } from '@srr-gateway/common/address';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EventStore, eventStore, issuerNumber } from '../../test/_util/event-store.ts';
import { recordKeyText } from '../model/record.ts';
import { externalIdsOfIssued, externalIdsOfRecord } from './events-of-issuance.ts';

const issuer = issuerNumber(1);
const [ours, theirs] = [issuerNumber(101), issuerNumber(102)] as [Address, Address];
let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
  const issued = [
    { externalId: 'bare', tokenId: '7' },
    { externalId: 'ours', tokenId: '7', collectionAddress: ours },
    { externalId: 'theirs', tokenId: '7', collectionAddress: theirs },
    { externalId: 'other', tokenId: '8' },
    { tokenId: '9', collectionAddress: ours },
  ];
  await store.deliver(issuer, issued, 'issue_complete');
  await store.deliver(issuer, [{ externalId: 'failed', tokenId: '7', collectionAddress: ours }]);
  await store.deliver(issuerNumber(2), [{ externalId: 'of another issuer', tokenId: '7' }], 'issue_complete');
});
afterAll(() => store?.stop());

const record = (tokenId: string, collection: Address | null) => ({ tokenId, collection });

it('the externalIds of a record are those of its events that name no other collection', async () => {
  const idsOf = async (collection: Address | null) =>
    [...(await externalIdsOfRecord(store.store.db, issuer, record('7', collection)))].sort();
  expect(await idsOf(ours)).toEqual(['bare', 'failed', 'ours']);
  expect(await idsOf(theirs)).toEqual(['bare', 'theirs']);
  expect(await idsOf(null)).toEqual(['bare']);
});

it('the externalIds of issued records are those of their outcomes that name no other collection', async () => {
  const records = [record('7', ours), record('7', null), record('8', ours), record('9', ours)];
  const found = await externalIdsOfIssued(store.store.db, issuer, records);
  expect(records.map((one) => [...(found.get(recordKeyText(one)) ?? [])].sort())).toEqual([
    ['bare', 'ours'],
    ['bare'],
    ['other'],
    [],
  ]);
  expect([...found.keys()]).not.toContain(recordKeyText(record('9', ours)));
  expect(await externalIdsOfIssued(store.store.db, issuer, [])).toEqual(new Map());
});
