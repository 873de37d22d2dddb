import { parseAddress } from '../../lib/address.ts';
import type {
  IndexedCollection,
  IndexedOccasion,
  IndexedProvenance,
  IndexedRecord,
  IndexedUser,
} from './indexed.ts';

/** A record as the REST endpoints show it (v1.3.0): other ids, times and letter case than the index has. */
export function recordShape(record: IndexedRecord, registryAddress: string) {
  const contract = record.collection?.id ?? registryAddress.toLowerCase();
  return {
    id: `${contract}-${record.tokenId}`,
    tokenId: record.tokenId,
    ownerAddress: checksummed(record.ownerAddress),
    isPrimaryIssuer: record.isPrimaryIssuer,
    artistAddress: checksummed(record.artistAddress),
    metadataDigest: record.metadataDigest,
    transferCommitment: record.transferCommitment,
    lockExternalTransfer: record.lockExternalTransfer,
    royaltyReceiver: checksummed(record.royaltyReceiver),
    royaltyBasisPoints: record.royaltyBasisPoints,
    createdAt: iso(record.createdAt),
    updatedAt: iso(record.updatedAt),
    issuer: record.issuer && userShape(record.issuer),
    artist: record.artist && userShape(record.artist),
    collection: record.collection && { id: record.collection.id, ...collectionFacts(record.collection) },
    metadataHistory: record.metadataHistory.map(({ metadataDigest, createdAt }) => ({
      metadataDigest,
      createdAt: iso(createdAt),
    })),
    provenance: record.provenance.map(provenanceShape),
  };
}

/** The same with what only the list of an owner has: documents and the record's part in histories. */
export function ownedShape(record: IndexedRecord, registryAddress: string, metadata: unknown) {
  return {
    ...recordShape(record, registryAddress),
    metadata,
    history: (record.history ?? []).map(({ createdAt, customHistory }) => ({
      customHistory: customHistory && occasionShape(customHistory),
      createdAt: iso(createdAt),
    })),
    // The changes of owner that were documented, as opposed to plain ERC-721 transfers.
    transfers: record.provenance.filter(({ sender }) => sender !== null).map(provenanceShape),
  };
}

/** An element of the list of a licensed user's collections. */
export function collectionShape(collection: IndexedCollection) {
  return { contractAddress: checksummed(collection.id), ...collectionFacts(collection) };
}

function collectionFacts({ name, symbol, ownerAddress, createdAt, updatedAt }: IndexedCollection) {
  return {
    name,
    symbol,
    ownerAddress: checksummed(ownerAddress),
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
  };
}

function userShape(user: IndexedUser) {
  return {
    ...user,
    walletAddress: checksummed(user.walletAddress),
    owners: user.owners.map(checksummed),
    createdAt: iso(user.createdAt),
    updatedAt: iso(user.updatedAt),
  };
}

function provenanceShape(provenance: IndexedProvenance) {
  return {
    timestamp: iso(provenance.timestamp),
    from: checksummed(provenance.from),
    to: checksummed(provenance.to),
    metadataDigest: provenance.metadataDigest,
    metadataURI: provenance.metadataURI,
    customHistory: provenance.customHistory && occasionShape(provenance.customHistory),
    isIntermediary: provenance.isIntermediary,
    sender: checksummed(provenance.sender),
    createdAt: iso(provenance.createdAt),
  };
}

function occasionShape({ id, name, metadataDigest, historyType }: IndexedOccasion) {
  return { id, name, metadataDigest, historyType: historyType.name };
}

function checksummed(address: string | null): string | null {
  return address === null ? null : (parseAddress(address) ?? address);
}

/** ISO-8601 with milliseconds and Z. */
function iso(milliseconds: string): string {
  return new Date(Number(milliseconds)).toISOString();
}
