import type { Address } from '@srr-gateway/common/address';
import type {
  CollectionFilter as SubgraphCollectionFilter,
  SrrFilter as SubgraphFilter,
  LicensedUserFilter as SubgraphUserFilter,
} from '../clients/subgraph/subgraph.ts';

// Translates filters of the schema into those of the subgraph, where addresses are in lower case and times
// are milliseconds as text.

/** `SRRFilter` of the schema. All conditions of one object must hold. */
export interface RecordFilter {
  tokenIds?: string[] | undefined;
  owner?: Address | undefined;
  issuer?: Address | undefined;
  artist?: Address | undefined;
  collection?: Address | undefined;
  owners?: Address[] | undefined;
  issuers?: Address[] | undefined;
  artists?: Address[] | undefined;
  collections?: Address[] | undefined;
  artistNameContains?: string | undefined;
  inRegistry?: boolean | undefined;
  isPrimaryIssuer?: boolean | undefined;
  lockExternalTransfer?: boolean | undefined;
  metadataCIDs?: string[] | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  updatedAfter?: Date | undefined;
  updatedBefore?: Date | undefined;
  /** The id of a custom history of the records. Not in the schema's filter. */
  customHistory?: string | undefined;
  or?: RecordFilter[] | undefined;
}

/** `CollectionFilter` of the schema. */
export interface CollectionFilter {
  owner?: Address | undefined;
  creator?: Address | undefined;
  addresses?: Address[] | undefined;
  nameContains?: string | undefined;
}

/** `LicensedUserFilter` of the schema. */
export interface LicensedUserFilter {
  addresses?: Address[] | undefined;
  nameContains?: string | undefined;
  userType?: string | undefined;
}

const lower = (addresses: readonly Address[]) => addresses.map((address) => address.toLowerCase());
const millis = (time: Date) => String(time.getTime());

/** Conditions that must all hold. A subgraph may refuse a column beside `and` or `or`. */
export function allOf<Filter extends object>(parts: readonly Filter[]): Filter {
  const conditions = parts.filter((part) => Object.keys(part).length > 0);
  return (conditions.length > 1 ? { and: conditions } : (conditions[0] ?? {})) as Filter;
}

/** Translates a filter of records. `registry` is the contract of records without a collection. */
export function subgraphFilter(filter: RecordFilter, registry: Address | undefined): SubgraphFilter {
  const parts: SubgraphFilter[] = [];
  const { tokenIds, owner, issuer, artist, collection, inRegistry, metadataCIDs, or } = filter;
  if (tokenIds) parts.push({ tokenId_in: tokenIds });
  if (owner) parts.push({ ownerAddress: owner.toLowerCase() });
  if (filter.owners) parts.push({ ownerAddress_in: lower(filter.owners) });
  if (issuer) parts.push({ issuer: issuer.toLowerCase() });
  if (filter.issuers) parts.push({ issuer_in: lower(filter.issuers) });
  // Filter by address, not by entity: an artist who is not a licensed user has no entity.
  if (artist) parts.push({ artistAddress: artist.toLowerCase() });
  if (filter.artists) parts.push({ artistAddress_in: lower(filter.artists) });
  if (filter.artistNameContains !== undefined) parts.push({ artist_: named(filter.artistNameContains) });
  if (collection) parts.push(inCollections([collection], registry));
  if (filter.collections) parts.push(inCollections(filter.collections, registry));
  if (inRegistry !== undefined) parts.push(inRegistry ? { collection: null } : { collection_not: null });
  if (filter.isPrimaryIssuer !== undefined) parts.push({ isPrimaryIssuer: filter.isPrimaryIssuer });
  if (filter.lockExternalTransfer !== undefined)
    parts.push({ lockExternalTransfer: filter.lockExternalTransfer });
  if (metadataCIDs) parts.push({ metadataDigest_in: metadataCIDs });
  if (filter.createdAfter) parts.push({ createdAt_gt: millis(filter.createdAfter) });
  if (filter.createdBefore) parts.push({ createdAt_lt: millis(filter.createdBefore) });
  if (filter.updatedAfter) parts.push({ updatedAt_gt: millis(filter.updatedAfter) });
  if (filter.updatedBefore) parts.push({ updatedAt_lt: millis(filter.updatedBefore) });
  if (filter.customHistory !== undefined) parts.push({ history_: { customHistory: filter.customHistory } });
  const branches = (or ?? []).map((one) => subgraphFilter(one, registry));
  // A branch without conditions is always true, and so is the whole `or`. Then leave it out.
  if (branches.length > 0 && branches.every((one) => Object.keys(one).length > 0))
    parts.push({ or: branches });
  return allOf(parts);
}

/** Records of the registry have no collection in the subgraph. */
function inCollections(addresses: readonly Address[], registry: Address | undefined): SubgraphFilter {
  const others = lower(addresses.filter((address) => address !== registry));
  const collected: SubgraphFilter =
    others.length === 1 ? { collection: others[0] } : { collection_in: others };
  if (others.length === addresses.length) return collected;
  return others.length === 0 ? { collection: null } : { or: [{ collection: null }, collected] };
}

/** Translates a filter of collections. */
export function subgraphCollectionFilter(filter: CollectionFilter): SubgraphCollectionFilter {
  const { owner, creator, addresses, nameContains } = filter;
  return allOf<SubgraphCollectionFilter>([
    owner ? { ownerAddress: owner.toLowerCase() } : {},
    creator ? { creatorAddress: creator.toLowerCase() } : {},
    addresses ? { id_in: lower(addresses) } : {},
    nameContains === undefined ? {} : { name_contains_nocase: containing(nameContains) },
  ]);
}

/** Translates a filter of licensed users. */
export function subgraphUserFilter({
  addresses,
  nameContains,
  userType,
}: LicensedUserFilter): SubgraphUserFilter {
  return allOf<SubgraphUserFilter>([
    addresses ? { id_in: lower(addresses) } : {},
    userType === undefined ? {} : { userType },
    nameContains === undefined ? {} : named(nameContains),
  ]);
}

/** Searches both names of a licensed user: the English one, and the one in the user's language. */
const named = (text: string): SubgraphUserFilter => ({
  or: [{ englishName_contains_nocase: containing(text) }, { originalName_contains_nocase: containing(text) }],
});

/**
 * Escapes a text for a subgraph, which gives it to SQL's `like` as it is. It adds a % at both ends only if the text
 * has none.
 */
const containing = (text: string): string =>
  /[\\%_]/.test(text) ? `%${text.replace(/[\\%_]/g, '\\$&')}%` : text;
