import type { Address } from '@srr-gateway/common/address';
import type { NewEvent } from '../../store/append-events.ts';
import type { Db } from '../../store/store.ts';
import type { CollectionCreationRow } from './creation.ts';

/** `sure`: the delivery names the creation by its address or its salt, which no other one of the issuer has. */
export interface CreationMatch {
  row: CollectionCreationRow;
  sure: boolean;
}

/**
 * The creation that a delivery is about, locked: by its address, else by its salt, else by its name and symbol
 * when one creation alone that is under way has them. The shape of these deliveries is not documented.
 */
export async function matchCreation(
  trx: Db,
  issuer: Address,
  { collection, raw }: Pick<NewEvent, 'collection' | 'raw'>,
): Promise<CreationMatch | undefined> {
  const rows = trx.selectFrom('collection_creation').selectAll().where('issuer', '=', issuer).forUpdate();
  if (collection !== null) {
    const row = await rows.where('address', '=', collection).executeTakeFirst();
    if (row) return { row, sure: true };
  }
  const fits = (row: CollectionCreationRow) =>
    collection === null || row.address === null || row.address === collection;
  const { salt, name, symbol } = wordsOf(raw);
  if (salt !== undefined) {
    // A salt that was refused and used again is the newer creation's.
    const [row] = await rows
      .where('salt', '=', salt)
      .orderBy('salt_free')
      .orderBy('created_at', 'desc')
      .execute();
    return row && fits(row) ? { row, sure: true } : undefined;
  }
  if (name === undefined || symbol === undefined) return undefined;
  const [row, ...others] = (
    await rows
      .where('name', '=', name)
      .where('symbol', '=', symbol)
      .where('status', 'in', ['PENDING', 'WAITING_FOR_MINING'])
      .where('sent', '>', 0)
      .execute()
  ).filter(fits);
  return row && others.length === 0 ? { row, sure: false } : undefined;
}

/** What a delivery says of a collection, at the top or in the objects that may hold it. */
function wordsOf(raw: Record<string, unknown>) {
  const scopes = [raw, raw.collection, raw.result].filter(
    (one): one is Record<string, unknown> => typeof one === 'object' && one !== null,
  );
  const find = (field: string) =>
    scopes.map((scope) => scope[field]).find((value): value is string => typeof value === 'string');
  return { salt: find('salt')?.toLowerCase(), name: find('name'), symbol: find('symbol') };
}
