import { randomUUID } from 'node:crypto';
import { parseAddress } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { withTables } from '../../test/_util/with-tables.ts';
import type { Issuer } from '../config/config.ts';
import type { Db } from '../store/tables.ts';
import { assertCollectionLimit, assertRecordLimit } from './in-flight-limit.ts';

const issuer = parseAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed') as Issuer['address'];
const limit = 100;

let db: Db;
withTables((opened) => {
  db = opened;
});
beforeEach(async () => {
  await db.deleteFrom('issuance').execute();
  await db.deleteFrom('collection_creation').execute();
});

const records = (status: string, age: string) =>
  sql`insert into gateway.issuance (id, issuer, request_id, fingerprint, batching, status, entry_count, updated_at)
    values (${randomUUID()}, ${issuer}, ${randomUUID()}, '', 'BATCHES', ${status}, ${limit},
      clock_timestamp() - ${age}::interval)`.execute(db);
const oneMore = () => assertRecordLimit(db, issuer, { limit, open: limit, adding: 1 });

const collections = (status: string, age: string) =>
  sql`insert into gateway.collection_creation
      (id, issuer, request_id, fingerprint, name, symbol, status, updated_at)
    select gen_random_uuid(), ${issuer}, gen_random_uuid(), '', 'name', 'SYM', ${status},
      clock_timestamp() - ${age}::interval
    from generate_series(1, ${limit}::int)`.execute(db);
const oneMoreCollection = () => assertCollectionLimit(db, issuer);

it.each([
  { what: 'records', add: records, check: oneMore, unsent: 'OUTCOME_UNKNOWN' },
  { what: 'collections', add: collections, check: oneMoreCollection, unsent: 'PENDING' },
])('$what count towards the limit, except accepted ones without news for a day', async (one) => {
  const full = {
    code: 'RATE_LIMITED',
    message: expect.stringContaining(`${limit} ${one.what} of this issuer`),
  };
  await one.add('WAITING_FOR_MINING', '25 hours');
  await one.check();
  await one.add('WAITING_FOR_MINING', '23 hours');
  await expect(one.check()).rejects.toMatchObject(full);
  await db.deleteFrom('issuance').execute();
  await db.deleteFrom('collection_creation').execute();
  await one.add(one.unsent, '25 hours');
  await expect(one.check()).rejects.toMatchObject(full);
});
