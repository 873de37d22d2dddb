import { randomBytes, randomUUID } from 'node:crypto';
import { fingerprint } from '@srr-gateway/common/canonical-json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Issuers } from '../../src/access/issuers.ts';
import { SecretBox } from '../../src/access/secret-box.ts';
import { UpstreamCredentials } from '../../src/access/upstream-credentials.ts';
import { createCollection } from '../../src/issuance/collections/create.ts';
import type { CollectionDeps } from '../../src/issuance/collections/creation.ts';
import type { FlowDeps } from '../../src/issuance/flow.ts';
import { createIssuance } from '../../src/issuance/submit/create.ts';
import { type EventStore, eventStore, issuerNumber } from '../_util/event-store.ts';

let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const issuer = issuerNumber(960);
const keys = new UpstreamCredentials(new Issuers([]), new SecretBox(randomBytes(32)));
const withKey = (apiKey: string) => ({ issuer, apiKey });

/** The stored key of an issuance after its call was repeated with a new key. */
async function keyAfterRepetition(stored: {
  sealed_key: Buffer | null;
  completed_at?: Date;
  status?: 'WAITING_FOR_MINING';
}) {
  const { db } = store.store;
  const deps = { db, keys } as unknown as FlowDeps;
  const input = { requestId: randomUUID(), entries: [], batching: 'ALL_OR_NOTHING' } as const;
  const { entries, batching, requestId } = input;
  const values = {
    id: randomUUID(),
    issuer,
    request_id: requestId,
    fingerprint: fingerprint({ entries, batching }),
    batching,
    entry_count: 0,
    status: 'OUTCOME_UNKNOWN' as const,
    ...stored,
  };
  await db
    .insertInto('issuance')
    .values({ ...values, next_at: new Date(0) })
    .execute();
  const { id } = await createIssuance(deps, withKey('new'), { ...input, entries: [...entries] });
  const row = await db.selectFrom('issuance').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return keys.open(issuer, row.sealed_key)?.apiKey;
}

it.each([
  ['a stored key, which the service may refuse by now', () => keys.seal(withKey('withdrawn'))],
  ['no key, because the issuer was configured before', () => null],
])('a repeated call replaces the key of unfinished work that has %s', async (_why, sealed) => {
  expect(await keyAfterRepetition({ sealed_key: sealed() })).toBe('new');
});

it.each([
  ['has completed', { completed_at: new Date() }],
  ['the service has accepted', { status: 'WAITING_FOR_MINING' as const }],
])('work that %s gets no key from a repeated call', async (_what, stored) => {
  expect(await keyAfterRepetition({ sealed_key: null, ...stored })).toBeUndefined();
});

it('a repeated call of createCollection replaces the key too', async () => {
  const { db } = store.store;
  const deps = { db, keys } as unknown as CollectionDeps;
  const input = { requestId: randomUUID(), name: 'Works', symbol: 'W' };
  await createCollection(deps, withKey('withdrawn'), input);
  const { id } = await createCollection(deps, withKey('new'), input);
  const row = await db
    .selectFrom('collection_creation')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(keys.open(issuer, row.sealed_key)?.apiKey).toBe('new');
});
