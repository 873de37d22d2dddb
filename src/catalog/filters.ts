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

/** The condition for a value; none when the filter lacks it. */
const when = <Value, Filter extends object>(
  value: Value | undefined,
  condition: (value: Value) => Filter,
): Filter => (value === undefined ? ({} as Filter) : condition(value));

/** Translates a filter of records. `registry` is the contract of records without a collection. */
export function subgraphFilter(filter: RecordFilter, registry: Address | undefined): SubgraphFilter {
  return allOf<SubgraphFilter>([
    when(filter.tokenIds, (tokenId_in) => ({ tokenId_in })),
    when(filter.owner, (owner) => ({ ownerAddress: owner.toLowerCase() })),
    when(filter.owners, (owners) => ({ ownerAddress_in: lower(owners) })),
    when(filter.issuer, (issuer) => ({ issuer: issuer.toLowerCase() })),
    when(filter.issuers, (issuers) => ({ issuer_in: lower(issuers) })),
    // Filter by address, not by entity: an artist who is not a licensed user has no entity.
    when(filter.artist, (artist) => ({ artistAddress: artist.toLowerCase() })),
    when(filter.artists, (artists) => ({ artistAddress_in: lower(artists) })),
    when(filter.artistNameContains, (text) => ({ artist_: named(text) })),
    when(filter.collection, (collection) => inCollections([collection], registry)),
    when(filter.collections, (collections) => inCollections(collections, registry)),
    when(filter.inRegistry, (inside) => (inside ? { collection: null } : { collection_not: null })),
    when(filter.isPrimaryIssuer, (isPrimaryIssuer) => ({ isPrimaryIssuer })),
    when(filter.lockExternalTransfer, (lockExternalTransfer) => ({ lockExternalTransfer })),
    when(filter.metadataCIDs, (metadataDigest_in) => ({ metadataDigest_in })),
    when(filter.createdAfter, (time) => ({ createdAt_gt: millis(time) })),
    when(filter.createdBefore, (time) => ({ createdAt_lt: millis(time) })),
    when(filter.updatedAfter, (time) => ({ updatedAt_gt: millis(time) })),
    when(filter.updatedBefore, (time) => ({ updatedAt_lt: millis(time) })),
    when(filter.customHistory, (customHistory) => ({ history_: { customHistory } })),
    when(filter.or, (branches) => anyOf(branches.map((one) => subgraphFilter(one, registry)))),
  ]);
}

/** A branch without conditions matches every record, and so does its `or`, which is dropped. */
function anyOf(branches: SubgraphFilter[]): SubgraphFilter {
  // An empty `or` matches no record, but a subgraph may refuse it.
  if (branches.length === 0) return { tokenId_in: [] };
  return branches.every((one) => Object.keys(one).length > 0) ? { or: branches } : {};
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
    when(owner, (address) => ({ ownerAddress: address.toLowerCase() })),
    when(creator, (address) => ({ creatorAddress: address.toLowerCase() })),
    when(addresses, (all) => ({ id_in: lower(all) })),
    when(nameContains, (text) => ({ name_contains_nocase: containing(text) })),
  ]);
}

/** Translates a filter of licensed users. */
export function subgraphUserFilter({
  addresses,
  nameContains,
  userType,
}: LicensedUserFilter): SubgraphUserFilter {
  return allOf<SubgraphUserFilter>([
    when(addresses, (all) => ({ id_in: lower(all) })),
    when(userType, (type) => ({ userType: type })),
    when(nameContains, named),
  ]);
}

/** Searches both names of a licensed user: the English one, and the one in the user's language. */
const named = (text: string): SubgraphUserFilter => ({
  or: [{ englishName_contains_nocase: containing(text) }, { originalName_contains_nocase: containing(text) }],
});

/**
 * Escapes a text for a subgraph, which passes it to SQL's `like` unescaped, and adds a % at both ends only if the
 * text has none.
 */
const containing = (text: string): string =>
  /[\\%_]/.test(text) ? `%${text.replace(/[\\%_]/g, '\\$&')}%` : text;
