import type { Entity } from './ledger.ts';

/**
 * Fields by type, as the public schema has them; `[Entity] by field` is looked up and never stored. A column that
 * the gateway learns later is not added: this subgraph is one that lacks it.
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

/** Those that also say when they were changed last. */
const updated: Entity[] = ['LicensedUserWallet', 'SRR', 'Collection', 'CustomHistory', 'CustomHistoryType'];
for (const [entity, fields] of Object.entries(entities)) {
  Object.assign(fields, { createdAt: 'BigInt!', createdAtStr: 'String!' });
  if (updated.includes(entity as Entity))
    Object.assign(fields, { updatedAt: 'BigInt!', updatedAtStr: 'String!' });
}

/** Root lists; the second word is in lower case there. */
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

/** A field's type without its marks, and the field that it is looked up by. */
export function fieldOf(text: string): { type: string; isList: boolean; by: string | undefined } {
  const [type = '', by] = text.split(' by ');
  return { type: type.replace(/[[\]!]/g, ''), isList: type.startsWith('['), by };
}

export const isEntity = (type: string): type is Entity => type in entities;
