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

it('knows the content and the name of each of six thousand files', async () => {
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
  await rows.remember(issuer, files, signed);
  const ready = files.map((file) => ({
    ...file,
    cid: `cid-of-${file.filename}`,
    size: 1,
    missing: false,
    inaccessible: false,
  }));
  await rows.learn(issuer, files, ready);
  const known = await rows.knownContent(issuer, files);
  expect(known.map((file) => file?.filename)).toEqual(files.map(({ filename }) => filename));
  expect((await rows.takenNames(issuer, files)).size).toBe(6_000);
});

it('keeps what was announced first of a name while its bytes may come', async () => {
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
  await rows.remember(issuer, [first], signed);
  expect(await rows.takenNames(issuer, [first])).toEqual(new Set());
  expect(await rows.takenNames(issuer, [second])).toEqual(new Set(['a.png']));
  await rows.remember(issuer, [second], signed);
  // One without a hash says nothing of the content that was announced.
  await rows.remember(issuer, [{ ...second, hash: undefined }], signed);
  expect(await rows.announced(issuer, first)).toEqual({ hash: first.hash, size: 1 });
  // Nothing came while its signed address was valid.
  await store.db
    .updateTable('upload')
    .set({ updated_at: new Date(Date.now() - 16 * 60_000) })
    .where('issuer', '=', issuer)
    .execute();
  expect(await rows.takenNames(issuer, [second])).toEqual(new Set());
  await rows.remember(issuer, [second], signed);
  expect(await rows.announced(issuer, first)).toEqual({ hash: second.hash, size: 2 });
});
