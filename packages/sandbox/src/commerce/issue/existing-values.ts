import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { Directory } from '../../licensing/directory.ts';
import { anyOf } from '../../store/any-of.ts';
import type { Db } from '../../store/tables.ts';
import type { Existing } from './entry-checks.ts';
import type { PreparedEntry } from './prepare.ts';
import { md5 } from './request-log.ts';

/** Reads which of the entries' unique values the database already has: one statement per kind of value. */
export async function readExisting(
  db: Db,
  directory: Directory,
  issuer: Address,
  entries: PreparedEntry[],
): Promise<Existing> {
  const users = await directory.find(entries.map(({ entry }) => entry.artistAddress));
  const externalIds = await knownExternalIds(
    db,
    issuer,
    entries.map(({ entry }) => entry.externalId),
  );
  const metadata = await db
    .selectFrom('srr')
    .select(['artist', 'metadata_cid'])
    .where('status', '<>', 'failed')
    .where(
      anyOf(
        'metadata_cid',
        entries.map(({ metadataCid }) => metadataCid),
      ),
    )
    .execute();
  const tokens = await db
    .selectFrom('srr')
    .select(['collection', 'token_id'])
    .where('status', '<>', 'failed')
    .where(
      anyOf(
        'token_id',
        entries.map(({ tokenId }) => tokenId),
      ),
    )
    .execute();
  const chips = await db
    .selectFrom('srr_chip')
    .select('chip')
    .where(
      anyOf(
        'chip',
        entries.flatMap(({ chips }) => chips.map((chip) => chip.toUpperCase())),
      ),
    )
    .execute();
  return {
    artists: new Set(users.keys()),
    externalIds,
    metadata: new Set(metadata.map((row) => `${row.artist} ${row.metadata_cid}`)),
    tokens: new Set(tokens.map((row) => `${row.collection ?? ''} ${row.token_id}`)),
    chips: new Set(chips.map((row) => row.chip)),
  };
}

/** Those of the externalIds that the issuer has used. */
export async function knownExternalIds(
  db: Db,
  issuer: Address,
  externalIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('srr')
    .select('external_id')
    .where('issuer', '=', issuer)
    // The unique index is on the md5.
    .where(sql<boolean>`md5(external_id) = any(${externalIds.map(md5)}::text[])`)
    .execute();
  return new Set(rows.map((row) => row.external_id));
}
