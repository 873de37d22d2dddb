import { randomBytes } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { LRUCache } from 'lru-cache';
import type { Scope } from '../model/scope.ts';
import { now } from '../store/database-time.ts';
import type { Db } from '../store/store.ts';
import type { TokenGrant } from './configured-tokens.ts';
import { digest } from './digest.ts';
import type { BearerToken } from './request-credentials.ts';

/** Distinguishes tokens of the database from other text without a query. */
const prefix = 'srr_';
/** A revoked token stops working within this time, and a token in use costs one query in it. */
const cachedMs = 5_000;
/** Cached look-ups: tokens in use, and also made-up ones. */
const maxCached = 10_000;

/** Looks up tokens of the database; undefined when a token is unknown, expired or revoked. */
export function storedTokens(db: Db): (token: BearerToken) => Promise<TokenGrant | undefined> {
  const read = (hash: string): Promise<TokenGrant | undefined> => {
    const reading = db
      .selectFrom('access_token')
      .select(['issuer', 'scopes'])
      .where('digest', '=', hash)
      .where('revoked_at', 'is', null)
      .where((token) => token.or([token('expires_at', 'is', null), token('expires_at', '>', now)]))
      .executeTakeFirst();
    // Do not cache an outage of the database as a refusal.
    reading.catch(() => cached.delete(hash));
    return reading;
  };
  const cached = new LRUCache<string, Promise<TokenGrant | undefined>>({
    max: maxCached,
    ttl: cachedMs,
    memoMethod: read,
  });
  return async ({ text, digest: hash }) => (text.startsWith(prefix) ? cached.memo(hash) : undefined);
}

/** Makes a token and stores its digest. The token itself is returned only here. */
export async function makeToken(
  db: Db,
  options: { issuer: Address; scopes: readonly Scope[]; note: string; expiresAt?: Date | undefined },
): Promise<{ token: string; id: string }> {
  const token = `${prefix}${randomBytes(32).toString('base64url')}`;
  const { id } = await db
    .insertInto('access_token')
    .values({
      digest: digest(token),
      issuer: options.issuer,
      scopes: [...options.scopes],
      note: options.note,
      expires_at: options.expiresAt ?? null,
      revoked_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { token, id };
}

/** All tokens, oldest first, without their digests. */
export function listTokens(db: Db) {
  return db
    .selectFrom('access_token')
    .select(['id', 'issuer', 'scopes', 'note', 'created_at', 'expires_at', 'revoked_at'])
    .orderBy('created_at')
    .execute();
}

/** Revokes a token; false when there is none with this id, or it is revoked already. */
export async function revokeToken(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('access_token')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
