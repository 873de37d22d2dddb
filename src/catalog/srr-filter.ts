import type { Address } from '@srr-gateway/common/address';
import type { SrrFilter as IndexFilter } from '../clients/subgraph/subgraph.ts';

/** `SRRFilter` of the schema. All conditions of one object must hold. */
export interface RecordFilter {
  tokenIds?: string[] | undefined;
  owner?: Address | undefined;
  issuer?: Address | undefined;
  artist?: Address | undefined;
  collection?: Address | undefined;
  inRegistry?: boolean | undefined;
  isPrimaryIssuer?: boolean | undefined;
  lockExternalTransfer?: boolean | undefined;
  metadataCIDs?: string[] | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  or?: RecordFilter[] | undefined;
}

/**
 * Translates a filter for the subgraph. Conditions are joined by `and`, because the subgraph refuses a column
 * beside `or`. There, addresses are in lower case and times are milliseconds as text.
 */
export function subgraphFilter(filter: RecordFilter, registry: Address | undefined): IndexFilter {
  const parts: IndexFilter[] = [];
  const { tokenIds, owner, issuer, artist, collection, inRegistry, metadataCIDs, or } = filter;
  if (tokenIds) parts.push({ tokenId_in: tokenIds });
  if (owner) parts.push({ ownerAddress: owner.toLowerCase() });
  if (issuer) parts.push({ issuer: issuer.toLowerCase() });
  // By address, not by entity: an artist who is no licensed user has no entity.
  if (artist) parts.push({ artistAddress: artist.toLowerCase() });
  if (collection)
    parts.push(collection === registry ? { collection: null } : { collection: collection.toLowerCase() });
  if (inRegistry !== undefined) parts.push(inRegistry ? { collection: null } : { collection_not: null });
  if (filter.isPrimaryIssuer !== undefined) parts.push({ isPrimaryIssuer: filter.isPrimaryIssuer });
  if (filter.lockExternalTransfer !== undefined)
    parts.push({ lockExternalTransfer: filter.lockExternalTransfer });
  if (metadataCIDs) parts.push({ metadataDigest_in: metadataCIDs });
  if (filter.createdAfter) parts.push({ createdAt_gt: String(filter.createdAfter.getTime()) });
  if (filter.createdBefore) parts.push({ createdAt_lt: String(filter.createdBefore.getTime()) });
  const branches = (or ?? []).map((one) => subgraphFilter(one, registry));
  // A branch without conditions is always true, and so is the whole `or`: leave it out.
  if (branches.length > 0 && branches.every((one) => Object.keys(one).length > 0))
    parts.push({ or: branches });
  if (parts.length === 0) return {};
  return parts.length === 1 ? (parts[0] as IndexFilter) : { and: parts };
}
