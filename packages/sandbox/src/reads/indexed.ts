/** Rows as the subgraph gives them: addresses in lower case, times in milliseconds as decimal text. */
export interface IndexedUser {
  id: string;
  walletAddress: string;
  salt: string;
  owners: string[];
  originalName: string;
  englishName: string;
  userType: 'handler' | 'artist';
  threshold: number;
  createdAt: string;
  updatedAt: string;
}

export interface IndexedCollection {
  id: string;
  name: string;
  symbol: string;
  ownerAddress: string;
  createdAt: string;
  updatedAt: string;
}

export interface IndexedOccasion {
  id: string;
  name: string;
  metadataDigest: string;
  historyType: { name: string };
}

export interface IndexedProvenance {
  timestamp: string;
  from: string;
  to: string;
  metadataDigest: string;
  metadataURI: string;
  isIntermediary: boolean | null;
  sender: string | null;
  createdAt: string;
  customHistory: IndexedOccasion | null;
}

export interface IndexedRecord {
  id: string;
  tokenId: string;
  ownerAddress: string;
  isPrimaryIssuer: boolean | null;
  artistAddress: string | null;
  metadataDigest: string | null;
  transferCommitment: string | null;
  lockExternalTransfer: boolean | null;
  royaltyReceiver: string | null;
  royaltyBasisPoints: number | null;
  createdAt: string;
  updatedAt: string;
  issuer: IndexedUser | null;
  artist: IndexedUser | null;
  collection: IndexedCollection | null;
  metadataHistory: { metadataDigest: string; createdAt: string }[];
  provenance: IndexedProvenance[];
  /** Read only for an owner's list, which shows it. */
  history?: { createdAt: string; customHistory: IndexedOccasion | null }[];
}
