import { z } from 'zod';
import { address, time } from '../http/values.ts';

/** Answers of the REST endpoints (v1.3.0). Their ids, times and letter case differ from the subgraph's. */

const collectionFacts = {
  name: z.string(),
  symbol: z.string(),
  ownerAddress: address,
  createdAt: time,
  updatedAt: time,
};

export const user = z.object({
  id: z.string(),
  walletAddress: address,
  salt: z.string(),
  owners: z.array(address),
  originalName: z.string(),
  englishName: z.string(),
  userType: z.enum(['handler', 'artist']),
  threshold: z.int(),
  createdAt: time,
  updatedAt: time,
});

export const occasion = z.object({
  id: z.string(),
  name: z.string(),
  metadataDigest: z.string(),
  historyType: z.string(),
});

export const provenance = z.object({
  timestamp: time,
  from: address,
  to: address,
  metadataDigest: z.string(),
  metadataURI: z.string(),
  customHistory: occasion.nullable(),
  isIntermediary: z.boolean().nullable(),
  sender: address.nullable(),
  createdAt: time,
});

export const record = z.object({
  id: z.string().describe('`<contract in lower case>-<tokenId>`'),
  tokenId: z.string(),
  ownerAddress: address,
  isPrimaryIssuer: z.boolean().nullable(),
  artistAddress: address.nullable(),
  metadataDigest: z
    .string()
    .nullable()
    .describe('A CID, or 0x and 64 hex digits for records from before 2023.'),
  transferCommitment: z.string().nullable(),
  lockExternalTransfer: z.boolean().nullable(),
  royaltyReceiver: address.nullable(),
  royaltyBasisPoints: z.int().nullable(),
  createdAt: time,
  updatedAt: time,
  issuer: user.nullable(),
  artist: user.nullable(),
  collection: z.object({ id: z.string(), ...collectionFacts }).nullable(),
  metadataHistory: z.array(z.object({ metadataDigest: z.string(), createdAt: time })),
  provenance: z.array(provenance),
});

/** A record in an owner's list, with its metadata document and the histories it is part of. */
export const ownedRecord = record.extend({
  metadata: z
    .unknown()
    .describe('The document exactly as published. Null when the sandbox does not have it.'),
  history: z.array(z.object({ customHistory: occasion.nullable(), createdAt: time })),
  transfers: z
    .array(provenance)
    .describe('The documented changes of owner, without plain ERC-721 transfers.'),
});

/** An element of the list of a licensed user's collections. */
export const collection = z.object({ contractAddress: address, ...collectionFacts });
