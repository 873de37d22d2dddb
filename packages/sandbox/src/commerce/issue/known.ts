import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { Directory } from '../../licensing/directory.ts';
import type { Db } from '../../store/tables.ts';
import type { Known } from './entry-checks.ts';
import type { PreparedEntry } from './prepare.ts';

/** Reads which of the entries' unique values the database already has: one statement per kind of value. */
export async function readKnown(
  db: Db,
  directory: Directory,
  issuer: Address,
  entries: PreparedEntry[],
): Promise<Known> {
  const users = await directory.find(entries.map(({ entry }) => entry.artistAddress));
  const externalIds = await db
    .selectFrom('srr')
    .select('external_id')
    .where('issuer', '=', issuer)
    .where(
      sql<boolean>`md5(external_id) in (select md5(value) from ${listed(entries.map(({ entry }) => entry.externalId))})`,
    )
    .execute();
  const metadata = await db
    .selectFrom('srr')
    .select(['artist', 'metadata_cid'])
    .where('status', '<>', 'failed')
    .where(
      sql<boolean>`metadata_cid in (select value from ${listed(entries.map(({ metadataCid }) => metadataCid))})`,
    )
    .execute();
  const tokens = await db
    .selectFrom('srr')
    .select(['collection', 'token_id'])
    .where('status', '<>', 'failed')
    .where(sql<boolean>`token_id in (select value from ${listed(entries.map(({ tokenId }) => tokenId))})`)
    .execute();
  const chips = await db
    .selectFrom('srr_chip')
    .select('chip')
    .where(
      sql<boolean>`chip in (select value from ${listed(entries.flatMap((entry) => entry.chips.map((chip) => chip.toUpperCase())))})`,
    )
    .execute();
  return {
    artists: new Set(users.keys()),
    externalIds: new Set(externalIds.map((row) => row.external_id)),
    metadata: new Set(metadata.map((row) => `${row.artist} ${row.metadata_cid}`)),
    tokens: new Set(tokens.map((row) => `${row.collection ?? ''} ${row.token_id}`)),
    chips: new Set(chips.map((row) => row.chip)),
  };
}

/** A list as a single parameter, because a statement takes at most 65,535 of them. */
function listed(values: string[]) {
  return sql`jsonb_array_elements_text(${JSON.stringify(values)}::jsonb) as list(value)`;
}
