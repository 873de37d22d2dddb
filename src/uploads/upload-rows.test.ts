import { testDatabase } from '@srr-gateway/common/testing/database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issuerNumber } from '../../test/_util/event-store.ts';
import { openStore, type Store } from '../store/store.ts';
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

it('finds six thousand files by their content and by their names', async () => {
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

it('keeps the content that was announced first for a name while its bytes may still come', async () => {
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
  // No bytes came while the signed URL was valid.
  await store.db
    .updateTable('upload')
    .set({ updated_at: new Date(Date.now() - 16 * 60_000) })
    .where('issuer', '=', issuer)
    .execute();
  expect(await rows.takenNames(issuer, [second])).toEqual(new Set());
  await rows.storeSigned(issuer, [second], signed);
  expect(await rows.announced(issuer, first)).toEqual({ hash: second.hash, size: 2 });
});
