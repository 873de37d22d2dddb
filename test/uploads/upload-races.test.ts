import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordContents } from '../../src/uploads/known-files.ts';
import { UploadRows } from '../../src/uploads/upload-rows.ts';
import { type EventStore, eventStore, issuerNumber } from '../_util/event-store.ts';

let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const issuer = issuerNumber(972);
const files = Array.from({ length: 1_000 }, (_, i) => ({
  filename: `${i}.png`,
  category: 'artwork' as const,
}));

function sign(keys: typeof files): Promise<unknown> {
  const signed = keys.map((key) => ({ ...key, contentType: 'image/png', finalUrl: key.filename, url: '' }));
  return new UploadRows(store.store.db).storeSigned(issuer, keys, signed);
}

// Needs PostgreSQL: PGlite has one connection, so nothing can deadlock there.
describe.runIf(process.env.TEST_DATABASE_URL)('two transactions on the same files', () => {
  it('do not deadlock when they store hashes in opposite orders', async () => {
    const { db } = store.store;
    await sign(files);
    for (let n = 0; n < 10; n++) {
      const seen = files.map((file) => ({ ...file, hash: `${n}`, cid: `${n}`, size: n }));
      await Promise.all([seen, seen.toReversed()].map((ready) => recordContents(db, issuer, ready)));
    }
    const known = await db.selectFrom('upload').select('hash').distinct().execute();
    expect(known).toEqual([{ hash: '9' }]);
  });

  it('do not deadlock when they store signed URLs in opposite orders', async () => {
    for (let n = 0; n < 10; n++) await Promise.all([sign(files), sign(files.toReversed())]);
    expect(await store.store.db.selectFrom('upload').select('filename').execute()).toHaveLength(1_000);
  });
});
