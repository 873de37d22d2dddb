import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Address } from '@srr-gateway/common/address';
import { testDatabase } from '@srr-gateway/common/testing/database';
import { Kysely } from 'kysely';
import { getAddress, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownedCollections } from '../src/commerce/collections.ts';
import { Directory } from '../src/licensing/directory.ts';
import { Storage } from '../src/storage/storage.ts';
import { migrate } from '../src/store/migrate.ts';
import type { Db, Tables } from '../src/store/tables.ts';

// A statement has at most 65,535 parameters, and a request may have more values.
const count = 70_000;

let db: Db;
let drop: () => Promise<void>;
let directory: string;

beforeAll(async () => {
  const opened = await testDatabase();
  drop = opened.drop;
  const tables = new Kysely<Tables>({ dialect: opened.database.dialect });
  await migrate(tables as unknown as Kysely<never>, {});
  db = tables.withSchema('sandbox');
  directory = await mkdtemp(join(tmpdir(), 'long-lists-'));
});
afterAll(async () => {
  await drop();
  await rm(directory, { recursive: true, force: true });
});

const issuer = getAddress(toHex(1, { size: 20 })) as Address;
const addresses = Array.from({ length: count }, (_, n) => getAddress(toHex(n + 1, { size: 20 })) as Address);

describe('of 70,000 values the known ones are found', () => {
  it('among addresses of licensed users', async () => {
    const users = new Directory(db, { srrQuota: 1, nfcAllowance: 1 });
    await users.put({ address: issuer, englishName: 'A', originalName: 'A', userType: 'handler' });
    expect(await users.find(addresses)).toEqual(new Map([[issuer, { withdrawn: false }]]));
  });

  it('among addresses of collections, only those of the issuer', async () => {
    const collection = {
      name: 'A',
      symbol: 'A',
      salt: '0x',
      status: 'created' as const,
      reason: null,
      tx_hash: null,
    };
    const [own, foreign] = addresses.slice(-2) as [Address, Address];
    // A retry finds those of the first run.
    await db.deleteFrom('collection').execute();
    await db
      .insertInto('collection')
      .values([
        { ...collection, address: own, issuer },
        { ...collection, address: foreign, issuer: foreign },
      ])
      .execute();
    expect(await ownedCollections(db, issuer, addresses)).toEqual([own]);
  });

  it('among filenames, whatever their characters', async () => {
    const storage = await Storage.open(db, directory);
    const names = ['a,b.txt', '{"quoted"}.txt', 'back\\slash.txt', 'NULL', '日本.txt'];
    for (const filename of names)
      await storage.receive(
        { issuer, filename, category: 'artwork' },
        'text/plain',
        Readable.from([Buffer.from('bytes')]),
        10,
      );
    const found = await storage.findAll(issuer, [...names, ...addresses]);
    expect([...found.keys()].sort()).toEqual([...names].sort());
  });
});
