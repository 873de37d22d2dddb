import { testDatabase } from '@srr-gateway/common/testing/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issuerNumber } from '../../../test/_util/event-store.ts';
import { storeIssuance } from '../../../test/_util/stored-issuance.ts';
import type { FileCategory, UploadStatus } from '../../model/file.ts';
import { openStore, type Store } from '../../store/store.ts';
import { filesWaitedFor, type ObservedFile, storeMessage, storeObserved } from './waited-files.ts';

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

/** Stores an issuance of an issuer of its own that waits for these files, and returns its id. */
async function waitingFor(issuer: number, ...files: [FileCategory, string][]): Promise<string> {
  const id = await storeIssuance(store.db, issuerNumber(issuer), {
    issuance: { status: 'WAITING_FOR_FILES' },
    batch: { status: 'PENDING' },
    entries: [{ external_id: 'a', status: 'PENDING' }],
  });
  const rows = files.map(([category, filename]) => ({ issuance_id: id, category, filename }));
  await store.db.insertInto('issuance_file').values(rows).execute();
  return id;
}

const statesOf = (id: string) =>
  store.db
    .selectFrom('issuance_file')
    .select(['category', 'filename', 'ready', 'status', 'message'])
    .where('issuance_id', '=', id)
    .orderBy('category')
    .orderBy('filename')
    .execute();

/** Stores that the service reports this status for the first of the files that the issuance waits for. */
async function look(id: string, status: UploadStatus, message: string | null = null) {
  const before = await filesWaitedFor(store.db, id);
  const [{ category, filename } = {}] = before;
  const seen = [{ category, filename, status, message }, ...before.slice(1)] as ObservedFile[];
  const [file] = await storeObserved(store.db, id, before, seen);
  return file;
}

it('the state of a file does not affect one of another issuance, category or name', async () => {
  const files: [FileCategory, string][] = [
    ['artwork', 'a.png'],
    ['artwork', 'b.png'],
    ['certificate', 'a.png'],
  ];
  const [one, other] = [await waitingFor(970, ...files), await waitingFor(971, ...files)];
  const before = (await filesWaitedFor(store.db, one)).filter(
    ({ category, filename }) => category === 'artwork' && filename === 'a.png',
  );
  const seen = { category: 'artwork', filename: 'a.png', status: 'READY', message: null } as const;
  await storeObserved(store.db, one, before, [seen]);
  expect((await statesOf(one)).map(({ ready }) => ready)).toEqual([true, false, false]);
  expect((await statesOf(other)).map(({ ready }) => ready)).toEqual([false, false, false]);
});

it('a message is stored at the files of one issuance that are not ready', async () => {
  const one = await waitingFor(972, ['artwork', 'a.png'], ['artwork', 'b.png']);
  const other = await waitingFor(973, ['artwork', 'b.png']);
  await look(one, 'READY');
  expect(await storeMessage(store.db, one, 'the key is not valid')).toBe(true);
  expect(await storeMessage(store.db, one, 'the key is not valid')).toBe(false);
  expect((await statesOf(one)).map(({ message }) => message)).toEqual([null, 'the key is not valid']);
  expect((await statesOf(other)).map(({ message }) => message)).toEqual([null]);
});

it.each(['AWAITING_BYTES', 'FAILED'] as const)(
  'looks at a file, and its time, count from its change to %s',
  async (status) => {
    const id = await waitingFor(974, ['artwork', 'a.png']);
    const age = () =>
      sql`update gateway.issuance_file set since = since - interval '1 hour' where issuance_id = ${id}`.execute(
        store.db,
      );
    await look(id, status);
    await look(id, status);
    await age();
    const third = await look(id, status, 'another message');
    expect(third).toMatchObject({ looks: 3, message: 'another message' });
    expect(third?.forMs).toBeGreaterThanOrEqual(3_600_000);
    await look(id, 'CALCULATING');
    const again = await look(id, status);
    expect(again?.looks).toBe(1);
    expect(again?.forMs).toBeLessThan(3_600_000);
  },
);
