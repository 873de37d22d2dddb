import type { Entity } from './ledger.ts';

/**
 * The fields of each type in the public schema; `[Entity] by field` is looked up and not stored. Later
 * columns are not added, because this subgraph also tests the gateway with a subgraph that lacks them.
 */
export const entities: Record<Entity, Record<string, string>> = {
  LicensedUserWallet: {
    id: 'ID!',
    walletAddress: 'Bytes!',
    threshold: 'Int!',
    englishName: 'String!',
    originalName: 'String!',
    userType: 'String!',
    owners: '[Bytes!]!',
    salt: 'Bytes!',
    originChain: 'String',
    issuedSRRs: '[SRR!]! by issuer',
  },
  SRR: {
    id: 'ID!',
    collection: 'Collection',
    tokenId: 'String',
    isPrimaryIssuer: 'Boolean',
    artist: 'LicensedUserWallet',
    artistAddress: 'Bytes',
    issuer: 'LicensedUserWallet',
    ownerAddress: 'Bytes',
    metadataDigest: 'String',
    transferCommitment: 'Bytes',
    lockExternalTransfer: 'Boolean',
    royaltyReceiver: 'Bytes',
    royaltyBasisPoints: 'Int',
    originChain: 'String',
    originTxHash: 'Bytes',
    provenance: '[SRRProvenance!]! by srr',
    metadataHistory: '[SRRMetadataHistory!]! by srr',
    history: '[SRRHistory!]! by srr',
  },
  Collection: {
    id: 'ID!',
    name: 'String!',
    symbol: 'String!',
    salt: 'Bytes!',
    ownerAddress: 'Bytes!',
    creatorAddress: 'Bytes!',
    srrs: '[SRR!]! by collection',
  },
  CustomHistory: {
    id: 'ID!',
    historyType: 'CustomHistoryType!',
    name: 'String!',
    metadataDigest: 'String!',
    originChain: 'String',
    originTxHash: 'Bytes',
    srrHistory: '[SRRHistory!]! by customHistory',
    srrProvenance: '[SRRProvenance!]! by customHistory',
  },
  CustomHistoryType: { id: 'ID!', name: 'String!' },
  SRRHistory: { id: 'ID!', srr: 'SRR!', customHistory: 'CustomHistory' },
  SRRProvenance: {
    id: 'ID!',
    timestamp: 'BigInt!',
    srr: 'SRR!',
    from: 'Bytes!',
    to: 'Bytes!',
    metadataDigest: 'String!',
    metadataURI: 'String!',
    customHistory: 'CustomHistory',
    isIntermediary: 'Boolean',
    sender: 'Bytes',
  },
  SRRMetadataHistory: { id: 'ID!', srr: 'SRR!', metadataDigest: 'String!' },
};

/** The entities with the time of their last change. */
const updated: Entity[] = ['LicensedUserWallet', 'SRR', 'Collection', 'CustomHistory', 'CustomHistoryType'];
for (const [entity, fields] of Object.entries(entities)) {
  Object.assign(fields, { createdAt: 'BigInt!', createdAtStr: 'String!' });
  if (updated.includes(entity as Entity))
    Object.assign(fields, { updatedAt: 'BigInt!', updatedAtStr: 'String!' });
}

/** The root lists, whose names have a second word in lower case. */
export const roots: Record<string, Entity> = {
  srrs: 'SRR',
  licensedUserWallets: 'LicensedUserWallet',
  collections: 'Collection',
  customHistories: 'CustomHistory',
  customHistoryTypes: 'CustomHistoryType',
  srrhistories: 'SRRHistory',
  srrprovenances: 'SRRProvenance',
  srrmetadataHistories: 'SRRMetadataHistory',
};

/** The type of a field without its modifiers, and the field by which it is looked up. */
export function fieldOf(text: string): { type: string; isList: boolean; by: string | undefined } {
  const [type = '', by] = text.split(' by ');
  return { type: type.replace(/[[\]!]/g, ''), isList: type.startsWith('['), by };
}

export const isEntity = (type: string): type is Entity => type in entities;
