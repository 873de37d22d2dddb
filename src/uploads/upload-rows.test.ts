import { testDatabase } from '@srr-gateway/common/testing/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issuerNumber } from '../../test/_util/event-store.ts';
import { openStore, type Store } from '../store/store.ts';
import { recordContents } from './known-files.ts';
import { UploadRows } from './upload-rows.ts';

let store: Store;
let drop: () => Promise<void>;
beforeAll(async () => {
  const test = await testDatabase();
  drop = test.drop;
  store = await openStore(test.database);
});
afterAll(async () => {
  await store?.close();
  await drop?.();
});

it('six thousand files are found by their content and by their names', async () => {
  const issuer = issuerNumber(970);
  const rows = new UploadRows(store.db);
  const files = Array.from({ length: 6_000 }, (_, i) => ({
    filename: `${i}.png`,
    category: 'artwork' as const,
    hash: `sha256-${i.toString(16).padStart(64, '0')}`,
  }));
  const signed = files.map(({ filename }) => ({
    filename,
    contentType: 'image/png',
    finalUrl: `https://files.example/${filename}`,
    url: '',
  }));
  await rows.storeSigned(issuer, files, signed);
  const ready = files.map((file) => ({
    ...file,
    cid: `cid-of-${file.filename}`,
    size: 1,
    missing: false,
    inaccessible: false,
  }));
  await rows.storeStates(issuer, files, ready);
  const known = await rows.knownContent(issuer, files);
  expect(known.map((file) => file?.filename)).toEqual(files.map(({ filename }) => filename));
  expect((await rows.takenNames(issuer, files)).size).toBe(6_000);
});

it('the content that was announced first for a name is kept while its upload may still arrive', async () => {
  const issuer = issuerNumber(971);
  const rows = new UploadRows(store.db);
  const spec = (digit: string, size: number) => ({
    filename: 'a.png',
    category: 'artwork' as const,
    hash: `sha256-${digit.repeat(64)}`,
    size,
  });
  const signed = [
    { filename: 'a.png', contentType: 'image/png', finalUrl: 'https://files.example/a', url: '' },
  ];
  const [first, second] = [spec('1', 1), spec('2', 2)];
  await rows.storeSigned(issuer, [first], signed);
  expect(await rows.takenNames(issuer, [first])).toEqual(new Set());
  expect(await rows.takenNames(issuer, [second])).toEqual(new Set(['a.png']));
  await rows.storeSigned(issuer, [second], signed);
  // A signing without a hash does not change the announced content.
  await rows.storeSigned(issuer, [{ ...second, hash: undefined }], signed);
  expect(await rows.announced(issuer, first)).toEqual({ hash: first.hash, size: 1 });
  // From now on the signed URL has expired without an upload.
  await store.db
    .updateTable('upload')
    .set({ updated_at: new Date(Date.now() - 16 * 60_000) })
    .where('issuer', '=', issuer)
    .execute();
  expect(await rows.takenNames(issuer, [second])).toEqual(new Set());
  await rows.storeSigned(issuer, [second], signed);
  expect(await rows.announced(issuer, first)).toEqual({ hash: second.hash, size: 2 });
});

it('the state of a file does not affect a file with its name of another issuer or category', async () => {
  const rows = new UploadRows(store.db);
  const key = { filename: 'same.png', category: 'artwork' as const };
  const others = [
    { issuer: issuerNumber(973), file: key },
    { issuer: issuerNumber(976), file: { ...key, hash: `sha256-${'4'.repeat(64)}` } },
    { issuer: issuerNumber(972), file: { ...key, category: 'certificate' as const, size: 5 } },
  ];
  const signed = [{ ...key, contentType: 'image/png', finalUrl: 'https://files.example/same', url: '' }];
  for (const { issuer, file } of [{ issuer: issuerNumber(972), file: key }, ...others])
    await rows.storeSigned(issuer, [file], signed);
  const announced = [{ issuer: issuerNumber(972), file: key }, ...others].map(({ issuer, file }) =>
    rows.announced(issuer, file),
  );
  expect(await Promise.all(announced)).toEqual([
    { hash: null, size: null },
    { hash: null, size: null },
    { hash: `sha256-${'4'.repeat(64)}`, size: null },
    { hash: null, size: 5 },
  ]);
  const hash = `sha256-${'3'.repeat(64)}`;
  expect(await rows.takenNames(issuerNumber(972), [{ ...key, hash }])).toEqual(new Set());
  const state = { filename: key.filename, hash, cid: 'cid', size: 3, missing: false, inaccessible: false };
  await rows.storeStates(issuerNumber(972), [key], [{ ...state, cid: undefined }]);
  expect(await rows.knownContent(issuerNumber(972), [{ ...key, hash }])).toEqual([undefined]);
  // Nor does it affect the content that the other issuer announced.
  expect(await recordContents(store.db, issuerNumber(972), [{ ...key, ...state }])).toEqual([null]);
  expect(await rows.knownContent(issuerNumber(972), [{ ...key, hash }])).toMatchObject([key]);
  for (const { issuer, file } of others)
    expect(await rows.knownContent(issuer, [{ ...file, hash }])).toEqual([undefined]);
});

it('a file whose content differs from the announced content is not known content', async () => {
  const rows = new UploadRows(store.db);
  const [announced, actual] = ['5', '6'].map((digit) => `sha256-${digit.repeat(64)}`) as [string, string];
  const key = { filename: 'other.png', category: 'artwork' as const };
  const signed = [{ ...key, contentType: 'image/png', finalUrl: 'https://files.example/other', url: '' }];
  await rows.storeSigned(issuerNumber(974), [{ ...key, hash: announced }], signed);
  await recordContents(store.db, issuerNumber(974), [{ ...key, hash: actual, cid: 'cid', size: 3 }]);
  expect(await rows.knownContent(issuerNumber(974), [{ ...key, hash: actual }])).toEqual([undefined]);
});

it('uploads are listed once each, the newest first, and those of one call by name', async () => {
  const issuer = issuerNumber(975);
  const rows = new UploadRows(store.db);
  for (const filenames of [['b.png', 'a.png'], ['c.png']]) {
    // The files of the next call must not have the same millisecond.
    await sql`update gateway.upload set created_at = 'epoch' where issuer = ${issuer}`.execute(store.db);
    const files = filenames.map((filename) => ({ filename, category: 'artwork' as const }));
    const answer = { contentType: 'image/png', finalUrl: 'https://files.example/', url: '' };
    await rows.storeSigned(
      issuer,
      files,
      files.map((file) => ({ ...file, ...answer })),
    );
  }
  const listed: string[] = [];
  for (let page = await rows.list(issuer, { first: 1 }); ; ) {
    const [after] = page.rows;
    listed.push(after?.filename ?? '');
    if (!page.more || listed.length > 3) break;
    page = await rows.list(issuer, { first: 1, after });
  }
  expect(listed).toEqual(['c.png', 'a.png', 'b.png']);
});

it('a name without an announced hash is free for any content, and keeps its announced size', async () => {
  const issuer = issuerNumber(977);
  const rows = new UploadRows(store.db);
  const key = { filename: 'sized.png', category: 'artwork' as const };
  const signed = [{ ...key, contentType: 'image/png', finalUrl: 'https://files.example/sized', url: '' }];
  await rows.storeSigned(issuer, [{ ...key, size: 5 }], signed);
  await rows.storeSigned(issuer, [key], signed);
  expect(await rows.announced(issuer, key)).toEqual({ hash: null, size: 5 });
  const spec = { ...key, hash: `sha256-${'5'.repeat(64)}` };
  expect(await rows.takenNames(issuer, [spec])).toEqual(new Set());
});

it('the latest content type and address of a file are kept', async () => {
  const issuer = issuerNumber(978);
  const rows = new UploadRows(store.db);
  const key = { filename: 'drawing.svg', category: 'artwork' as const };
  const former = { ...key, contentType: 'text/plain', finalUrl: 'https://files.example/former', url: '' };
  const latest = { ...key, contentType: 'image/svg+xml', finalUrl: 'https://files.example/latest' };
  await rows.storeSigned(issuer, [key], [former]);
  await rows.storeSigned(issuer, [key], [{ ...latest, url: '' }]);
  expect((await rows.list(issuer, { first: 1 })).rows).toMatchObject([latest]);
});

it('of several files with the announced content it is always the first that is known', async () => {
  const issuer = issuerNumber(979);
  const rows = new UploadRows(store.db);
  const hash = `sha256-${'7'.repeat(64)}`;
  const keys = ['b.png', 'a.png'].map((filename) => ({ filename, category: 'artwork' as const }));
  const sign = (key: (typeof keys)[number]) =>
    rows.storeSigned(issuer, [key], [{ ...key, contentType: 'image/png', finalUrl: '', url: '' }]);
  for (const key of keys) await sign(key);
  await recordContents(
    store.db,
    issuer,
    keys.map((key) => ({ ...key, hash, cid: 'cid', size: 1 })),
  );
  for (const key of [...keys, ...keys]) {
    // The database returns the row last that was written last.
    await sign(key);
    expect(await rows.knownContent(issuer, [{ ...key, hash }])).toMatchObject([{ filename: 'b.png' }]);
  }
});
