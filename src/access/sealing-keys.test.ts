import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { withTables } from '../../test/_util/with-tables.ts';
import type { Db } from '../store/tables.ts';
import { registerSealingKeys } from './sealing-keys.ts';
import { SecretBox } from './secret-box.ts';

const [former, present, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];

let db: Db;
withTables((opened) => {
  db = opened;
});
beforeEach(async () => {
  await db.deleteFrom('sealing_key').execute();
});

const start = (...keys: [Buffer, ...Buffer[]]) => registerSealingKeys(db, new SecretBox(...keys));

it('a replica is refused when no other replica has its key', async () => {
  await start(former);
  await start(former);
  await expect(start(other)).rejects.toThrow(/^SECRETS_KEY: another key has encrypted/);
});

it('replicas start with either key during a rotation, and with the new key alone afterwards', async () => {
  await start(former);
  await start(present, former);
  await start(former);
  await start(present);
  await expect(start(other)).rejects.toThrow(/SECRETS_KEY/);
});

it('only one of two keys is accepted when the first two replicas start at the same time', async () => {
  const starts = await Promise.allSettled([start(former), start(other)]);
  expect(starts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

it('the store has nothing that reveals a key', async () => {
  await start(former);
  const stored = JSON.stringify(await db.selectFrom('sealing_key').selectAll().execute());
  for (const form of ['base64', 'base64url', 'hex'] as const)
    expect(stored).not.toContain(former.toString(form).slice(0, 8));
});
