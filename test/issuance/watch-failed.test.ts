import { randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyDeliveries } from '../../src/issuance/apply-deliveries.ts';
import { watchFailed } from '../../src/issuance/recover/watch-failed.ts';
import type { MintedRecord } from '../../src/model/record.ts';
import { findFiles, recordContents } from '../../src/uploads/known-files.ts';
import { type EventStore, eventStore, issuerNumber } from '../_util/event-store.ts';
import { storeIssuance } from '../_util/stored-issuance.ts';

const hour = 3_600_000;
const artist = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const apply = applyDeliveries(hour);
let store: EventStore;
let nextIssuer = 700;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

interface Ended {
  issuer: Address;
  /** The token ids from the service; a refused request has none. */
  tokens?: string[];
  externalIds: string[];
  payload?: object;
  sentMinutesAgo?: number;
}

/** Stores a failed issuance that is still watched. */
function storeFailed({ issuer, tokens, externalIds, payload, sentMinutesAgo = 5 }: Ended): Promise<string> {
  const sent = new Date(Date.now() - sentMinutesAgo * 60_000);
  return storeIssuance(store.store.db, issuer, {
    issuance: { status: tokens ? 'COMPLETED' : 'REJECTED' },
    batch: {
      status: tokens ? 'ACCEPTED' : 'REJECTED',
      first_sent_at: sent,
      last_sent_at: sent,
      watch_until: new Date(Date.now() + hour),
    },
    entries: externalIds.map((externalId, index) => ({
      external_id: externalId,
      status: 'FAILED',
      payload: JSON.stringify(payload ?? { artistAddress: artist, metadata: { name: externalId } }),
      token_id: tokens?.[index] ?? null,
    })),
  });
}

/** Runs one watch while the chain has these records. */
async function watchOnce(records: { tokenId: string; name: string }[]): Promise<void> {
  const minted = records.map(
    ({ tokenId, name }): MintedRecord => ({
      tokenId,
      collection: null,
      artist,
      metadataCID: `cid-${tokenId}`,
      document: { name },
    }),
  );
  const onChain = new Set(minted.map(({ tokenId }) => tokenId));
  await watchFailed(
    {
      db: store.store.db,
      files: { find: findFiles, recordContents },
      mintedOf: async (tokens) => ({
        block: 1,
        minted: tokens.filter(({ tokenId }) => onChain.has(tokenId)),
      }),
      mintedSince: async () => ({ minted, indexedUntil: new Date(), complete: true }),
      timeouts: { failureWatch: hour },
    },
    AbortSignal.timeout(60_000),
  );
}

const statusesOf = async (id: string) =>
  (
    await store.store.db
      .selectFrom('issuance_entry')
      .select('status')
      .where('issuance_id', '=', id)
      .orderBy('index')
      .execute()
  ).map(({ status }) => status);

it('the watch finds the last of thousands of failed records', async () => {
  const issuer = issuerNumber(nextIssuer++);
  const externalIds = Array.from({ length: 2_500 }, () => randomUUID());
  const tokens = externalIds.map((_, i) => String(70_000 + i));
  const id = await storeFailed({ issuer, tokens, externalIds });
  await watchOnce([{ tokenId: tokens.at(-1) as string, name: 'of no matter' }]);
  expect((await statusesOf(id)).at(-1)).toBe('ISSUED');
});

it('the watch continues with other records when the details of one were dropped', async () => {
  const dropped = issuerNumber(nextIssuer++);
  for (const tokens of [undefined, ['81']])
    await storeFailed({ issuer: dropped, tokens, externalIds: [randomUUID()], payload: {} });
  const other = issuerNumber(nextIssuer++);
  const externalId = randomUUID();
  const id = await storeFailed({ issuer: other, externalIds: [externalId] });
  await watchOnce([
    { tokenId: '80', name: externalId },
    { tokenId: '81', name: 'of no matter' },
  ]);
  expect(await statusesOf(id)).toEqual(['ISSUED']);
});

it('a record on chain belongs to the last of two accepted requests for it', async () => {
  const issuer = issuerNumber(nextIssuer++);
  const again = { issuer, tokens: ['89'] };
  const first = await storeFailed({ ...again, externalIds: [randomUUID()], sentMinutesAgo: 9 });
  const second = await storeFailed({ ...again, externalIds: [randomUUID()], sentMinutesAgo: 4 });
  await watchOnce([{ tokenId: '89', name: 'of no matter' }]);
  await store.deliver(issuer, [{ tokenId: '89' }], 'issue_complete', apply);
  expect([await statusesOf(first), await statusesOf(second)]).toEqual([['FAILED'], ['ISSUED']]);
});

it('a delivery with only a token id settles the last of two accepted requests for it', async () => {
  const issuer = issuerNumber(nextIssuer++);
  const again = { issuer, tokens: ['88'] };
  const first = await storeFailed({ ...again, externalIds: [randomUUID()], sentMinutesAgo: 9 });
  const second = await storeFailed({ ...again, externalIds: [randomUUID()], sentMinutesAgo: 4 });
  await store.deliver(issuer, [{ tokenId: '88' }], 'issue_complete', apply);
  expect([await statusesOf(first), await statusesOf(second)]).toEqual([['FAILED'], ['ISSUED']]);
});

it('a record on chain belongs to the first of two refused requests with the same externalId', async () => {
  const issuer = issuerNumber(nextIssuer++);
  const externalId = randomUUID();
  const first = await storeFailed({ issuer, externalIds: [externalId], sentMinutesAgo: 9 });
  const second = await storeFailed({ issuer, externalIds: [externalId], sentMinutesAgo: 4 });
  await store.deliver(issuer, [{ externalId, tokenId: '90' }], 'issue_complete', apply);
  await watchOnce([{ tokenId: '90', name: externalId }]);
  expect([await statusesOf(first), await statusesOf(second)]).toEqual([['ISSUED'], ['FAILED']]);
});

it('a record on chain belongs to the refused request whose externalId a delivery reports with it', async () => {
  const issuer = issuerNumber(nextIssuer++);
  const [one, another, name] = [randomUUID(), randomUUID(), randomUUID()];
  const payload = { artistAddress: artist, metadata: { name } };
  const first = await storeFailed({ issuer, externalIds: [one], payload, sentMinutesAgo: 9 });
  const second = await storeFailed({ issuer, externalIds: [another], payload, sentMinutesAgo: 4 });
  await watchOnce([{ tokenId: '91', name }]);
  expect([await statusesOf(first), await statusesOf(second)]).toEqual([['FAILED'], ['FAILED']]);
  await store.deliver(issuer, [{ externalId: another, tokenId: '91' }], 'issue_complete', apply);
  await watchOnce([{ tokenId: '91', name }]);
  expect([await statusesOf(first), await statusesOf(second)]).toEqual([['FAILED'], ['ISSUED']]);
});

it.each([
  ['one with its content waits for another record', 'ACCEPTED', 'WAITING_FOR_MINING', '93', {}],
  ['one with its content is not sent yet', 'PENDING', 'PENDING', null, {}],
  ['one with its content has failed', 'ACCEPTED', 'FAILED', null, {}],
  ['one of its artist is lost', 'UNKNOWN', 'PENDING', null, { metadata: {} }],
  ['one with its metadata is lost', 'UNKNOWN', 'PENDING', null, { artistAddress: `0x${'1'.repeat(40)}` }],
] as const)(
  'a record on chain belongs to a refused request although %s',
  async (_what, batch, status, token_id, changes) => {
    const issuer = issuerNumber(nextIssuer++);
    const [external_id, name] = [randomUUID(), randomUUID()];
    const payload = { artistAddress: artist, metadata: { name } };
    const failed = await storeFailed({ issuer, externalIds: [randomUUID()], payload });
    await storeIssuance(store.store.db, issuer, {
      issuance: { status: 'SUBMITTING' },
      batch: { status: batch },
      entries: [{ external_id, status, token_id, payload: JSON.stringify({ ...payload, ...changes }) }],
    });
    await watchOnce([{ tokenId: '92', name }]);
    expect(await statusesOf(failed)).toEqual(['ISSUED']);
  },
);

it('a record on chain does not go to a failed entry while an equal one of its issuance waits for it', async () => {
  const issuer = issuerNumber(nextIssuer++);
  const name = randomUUID();
  const payload = { artistAddress: artist, metadata: { name } };
  const id = await storeFailed({ issuer, externalIds: ['one', 'two'], payload });
  const { db } = store.store;
  await db.updateTable('issuance_batch').set({ status: 'ACCEPTED' }).where('issuance_id', '=', id).execute();
  await db
    .updateTable('issuance_entry')
    .set({ status: 'WAITING_FOR_MINING' })
    .where('issuance_id', '=', id)
    .where('index', '=', 1)
    .execute();
  await watchOnce([{ tokenId: '94', name }]);
  expect(await statusesOf(id)).toEqual(['FAILED', 'WAITING_FOR_MINING']);
  await store.deliver(issuer, [{ externalId: 'two', tokenId: '94' }], 'issue_complete', apply);
  await watchOnce([{ tokenId: '94', name }]);
  expect(await statusesOf(id)).toEqual(['FAILED', 'ISSUED']);
});
