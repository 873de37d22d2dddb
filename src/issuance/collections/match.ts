import type { Address } from '@srr-gateway/common/address';
import { isJsonObject } from '../../lib/json-object.ts';
import type { NewEvent } from '../../store/append-events.ts';
import type { Db } from '../../store/store.ts';
import type { CollectionCreationRow } from './creation.ts';

/** `sure`: the delivery names the address or the salt, which no other creation of the issuer has. */
export interface CreationMatch {
  row: CollectionCreationRow;
  sure: boolean;
}

/**
 * Finds and locks the creation that a delivery is about: by address, else by salt, else by name and symbol
 * when exactly one creation under way has them. The document does not describe these deliveries.
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
  const { salt, name, symbol } = identifiersIn(raw);
  if (salt !== undefined) {
    // A refused salt that was used again identifies the newer creation.
    const [row] = await rows.where('salt', '=', salt).orderBy('created_at', 'desc').execute();
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

/** Reads salt, name and symbol at the top level of a delivery, or in its `collection` or `result`. */
function identifiersIn(raw: Record<string, unknown>) {
  const scopes = [raw, raw.collection, raw.result].filter(isJsonObject);
  const find = (field: string) =>
    scopes.map((scope) => scope[field]).find((value): value is string => typeof value === 'string');
  return { salt: find('salt')?.toLowerCase(), name: find('name'), symbol: find('symbol') };
}
