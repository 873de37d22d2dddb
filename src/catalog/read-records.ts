import type { Address } from '@srr-gateway/common/address';
import { fittingChunks, type SrrRecord, type Subgraph } from '../clients/subgraph/subgraph.ts';
import type { RecordKey } from '../model/record.ts';
import type { BlockPin } from './block-pin.ts';
import { type IndexedRecord, notYetIndexed } from './indexed-record.ts';

/** A record's key with its contract; undefined for the registry when its address is not configured. */
type LocatedKey = RecordKey & { contract: Address | undefined };

/**
 * Reads records by their keys, in the order of the keys. Without the registry's address, its records are read by
 * token id. @throws what the subgraph throws.
 */
export async function readRecords(
  subgraph: Subgraph,
  read: BlockPin['readNewest'],
  keys: readonly LocatedKey[],
  columns: string | undefined,
): Promise<IndexedRecord[]> {
  const located = keys.filter(hasContract);
  const others = keys.filter((key) => !hasContract(key));
  const [ofContracts, ofRegistry] = await Promise.all([
    located.length > 0 ? byContract(subgraph, read, located, columns) : [],
    others.length > 0 ? inRegistry(subgraph, read, others, columns) : [],
  ]);
  // Both are in the order of the keys.
  return keys.map((key) => (hasContract(key) ? ofContracts : ofRegistry).shift() ?? notYetIndexed);
}

const hasContract = (key: LocatedKey): key is LocatedKey & { contract: Address } =>
  key.contract !== undefined;

async function byContract(
  subgraph: Subgraph,
  read: BlockPin['readNewest'],
  keys: readonly (LocatedKey & { contract: Address })[],
  columns: string | undefined,
): Promise<IndexedRecord[]> {
  const { srrs, block: at } = await read((at) => subgraph.srrsByTokens(keys, at, columns));
  return srrs.map((row) => (row ? { indexing: 'INDEXED', row, at } : notYetIndexed));
}

async function inRegistry(
  subgraph: Subgraph,
  read: BlockPin['readNewest'],
  keys: readonly LocatedKey[],
  columns: string | undefined,
): Promise<IndexedRecord[]> {
  const tokenIds = keys.map(({ tokenId }) => tokenId);
  const queries = fittingChunks(tokenIds, columns).map((tokenId_in) => ({
    where: { tokenId_in, collection: null },
    first: tokenId_in.length,
    select: columns === undefined ? undefined : `tokenId ${columns}`,
  }));
  const { lists, block: at } = await read((at) => subgraph.lists('srrs', queries, at));
  const rows = new Map<string | null, SrrRecord>(lists.flat().map((row) => [row.tokenId, row]));
  return keys.map(({ tokenId }) => {
    const row = rows.get(tokenId);
    return row ? { indexing: 'INDEXED', row, at } : notYetIndexed;
  });
}
