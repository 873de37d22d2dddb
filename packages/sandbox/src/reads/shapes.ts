import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { z } from 'zod';
import type {
  collection,
  occasion,
  ownedRecord,
  provenance,
  record as recordAnswer,
  user,
} from './definitions.ts';
import type {
  IndexedCollection,
  IndexedOccasion,
  IndexedProvenance,
  IndexedRecord,
  IndexedUser,
} from './indexed.ts';

/** A record as the REST endpoints answer it; throws when the subgraph gives an invalid address. */
export function recordShape(record: IndexedRecord, registryAddress: string): z.infer<typeof recordAnswer> {
  const contract = record.collection?.id ?? registryAddress.toLowerCase();
  return {
    id: `${contract}-${record.tokenId}`,
    tokenId: record.tokenId,
    ownerAddress: checksummed(record.ownerAddress),
    isPrimaryIssuer: record.isPrimaryIssuer,
    artistAddress: checksummedOrNull(record.artistAddress),
    metadataDigest: record.metadataDigest,
    transferCommitment: record.transferCommitment,
    lockExternalTransfer: record.lockExternalTransfer,
    royaltyReceiver: checksummedOrNull(record.royaltyReceiver),
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

/** A record as the owner's list answers it. `metadata` is its parsed document, or null. */
export function ownedShape(
  record: IndexedRecord,
  registryAddress: string,
  metadata: unknown,
): z.infer<typeof ownedRecord> {
  return {
    ...recordShape(record, registryAddress),
    metadata,
    history: (record.history ?? []).map(({ createdAt, customHistory }) => ({
      customHistory: customHistory && occasionShape(customHistory),
      createdAt: iso(createdAt),
    })),
    transfers: record.provenance.filter(({ sender }) => sender !== null).map(provenanceShape),
  };
}

/** A collection as the REST endpoints answer it; throws when the subgraph gives an invalid address. */
export function collectionShape(indexed: IndexedCollection): z.infer<typeof collection> {
  return { contractAddress: checksummed(indexed.id), ...collectionFacts(indexed) };
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

function userShape(indexed: IndexedUser): z.infer<typeof user> {
  return {
    ...indexed,
    walletAddress: checksummed(indexed.walletAddress),
    owners: indexed.owners.map(checksummed),
    createdAt: iso(indexed.createdAt),
    updatedAt: iso(indexed.updatedAt),
  };
}

function provenanceShape(indexed: IndexedProvenance): z.infer<typeof provenance> {
  return {
    timestamp: iso(indexed.timestamp),
    from: checksummed(indexed.from),
    to: checksummed(indexed.to),
    metadataDigest: indexed.metadataDigest,
    metadataURI: indexed.metadataURI,
    customHistory: indexed.customHistory && occasionShape(indexed.customHistory),
    isIntermediary: indexed.isIntermediary,
    sender: checksummedOrNull(indexed.sender),
    createdAt: iso(indexed.createdAt),
  };
}

function occasionShape({ id, name, metadataDigest, historyType }: IndexedOccasion): z.infer<typeof occasion> {
  return { id, name, metadataDigest, historyType: historyType.name };
}

function checksummedOrNull(text: string | null): Address | null {
  return text === null ? null : checksummed(text);
}

function checksummed(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`the subgraph has ${text} in the place of an address`);
  return address;
}

/** ISO-8601 with milliseconds and Z. */
function iso(milliseconds: string): string {
  return new Date(Number(milliseconds)).toISOString();
}
