import type { Address } from '@srr-gateway/common/address';
import { chunksOf } from '@srr-gateway/common/chunks';
import type { Db } from '../../store/tables.ts';
import type { PreparedEntry } from './prepare.ts';

/** A statement takes at most 65,535 parameters; a row here has 14. */
const rowsAtOnce = 2_000;

/** Stores entries that passed every check. This reserves their unique values; they are not mined yet. */
export async function insertReserved(
  db: Db,
  issuer: Address,
  request: string,
  entries: PreparedEntry[],
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const part of chunksOf(entries, rowsAtOnce)) {
      const rows = await trx
        .insertInto('srr')
        .values(
          part.map(({ entry, tokenId, metadataCid, royaltyBasisPoints }) => ({
            request,
            issuer,
            external_id: entry.externalId,
            artist: entry.artistAddress,
            collection: entry.collectionAddress ?? null,
            token_id: tokenId,
            metadata_cid: metadataCid,
            is_primary_issuer: entry.isPrimaryIssuer,
            lock_external_transfer: entry.lockExternalTransfer,
            recipient: entry.to ?? null,
            royalty_basis_points: royaltyBasisPoints,
            status: 'accepting' as const,
            reason: null,
            tx_hash: null,
          })),
        )
        .returning(['id', 'external_id'])
        .execute();
      const idOf = new Map(rows.map((row) => [row.external_id, row.id]));
      const chips = part.flatMap(({ entry, chips }) =>
        chips.map((chip) => ({
          chip: chip.toUpperCase(),
          srr: idOf.get(entry.externalId) ?? '',
          issuer,
        })),
      );
      for (const some of chunksOf(chips, rowsAtOnce)) await trx.insertInto('srr_chip').values(some).execute();
    }
  });
}
