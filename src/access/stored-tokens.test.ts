import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { withTables } from '../../test/_util/with-tables.ts';
import type { Db } from '../store/store.ts';
import { tokenOf } from './request-credentials.ts';
import { makeToken, storedTokens } from './stored-tokens.ts';

const issuer = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

let db: Db;
let statements: string[];
withTables((...opened) => {
  [db, statements] = opened;
});

it('a token is valid again at once after an outage of the database', async () => {
  const find = storedTokens(db);
  const { token } = await makeToken(db, { issuer, scopes: ['read'], note: 'a page' });
  await sql`alter table gateway.access_token rename to away`.execute(db);
  await expect(find(tokenOf(token))).rejects.toThrow();
  await sql`alter table gateway.away rename to access_token`.execute(db);
  expect(await find(tokenOf(token))).toMatchObject({ issuer });
});

it('text without the prefix of tokens is refused without a statement', async () => {
  const before = statements.length;
  expect(await storedTokens(db)(tokenOf('made-up'))).toBeUndefined();
  expect(statements).toHaveLength(before);
});
