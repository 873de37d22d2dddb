import { parseAddress } from '@srr-gateway/common/address';
import { edgeOf, type MetadataStatus } from '../../catalog/catalog.ts';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';
import { isTokenId } from '../../model/token-id.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { forwardSize } from '../page.ts';
import { type RecordSource, recordOfKey } from '../record-source.ts';
import { CustomHistoryConnection, MetadataHistoryConnection, ProvenanceConnection } from './histories.ts';
import { IssuanceEntry } from './issuance-entry.ts';
import { metadataOf, SRRMetadata } from './metadata.ts';
import { MetadataStatusEnum } from './metadata-status.ts';
import { Collection, LicensedUser, SRR, SRRConnection } from './refs.ts';
import { recordPage, SRRFilter, SRROrder } from './srr-list.ts';
import { moment } from './times.ts';

const IndexingEnum = builder.enumType('Indexing', {
  description: 'Whether the chain’s part of a record is there.',
  values: {
    INDEXED: { description: 'It is.' },
    NOT_YET_INDEXED: { description: 'The index does not have it (yet).' },
    UNAVAILABLE: { description: 'The index cannot be asked; the error beside the data says why.' },
  } as const,
});

const Royalty = builder.objectRef<{ receiver: string; basisPoints: number }>('Royalty').implement({
  description: 'What a marketplace should pay at a resale (ERC-2981). From the subgraph.',
  fields: (t) => ({
    receiver: t.field({
      type: 'Address',
      nullable: false,
      description: 'Who gets it.',
      resolve: ({ receiver }) => checksummed(receiver),
    }),
    basisPoints: t.exposeInt('basisPoints', { nullable: false, description: 'Hundredths of a percent.' }),
    percent: t.float({
      nullable: false,
      description: 'Percent of the price.',
      resolve: ({ basisPoints }) => basisPoints / 100,
    }),
  }),
});

const checksummed = (address: string): string => parseAddress(address) ?? address;

const idText = ({ key }: RecordSource) => `${key.collection ?? 'registry'}/${key.tokenId}`;

builder.node(SRR, {
  id: { description: 'Of this record, for ever.', resolve: idText },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'metadataDigest' in value,
  description:
    'A registry record (an NFT), joined from the issue result, the subgraph and IPFS. Each answers for its own part: one that is down leaves its part null, typed, and the rest stands.',
  loadOne: async (id, context) => {
    const [place = '', tokenId = ''] = id.split('/');
    const collection = place === 'registry' ? null : parseAddress(place);
    if (collection === undefined || !isTokenId(tokenId)) return null;
    return recordOrNull(recordOfKey({ collection, tokenId }, context.fresh.reads), context);
  },
  fields: (t) => ({
    tokenId: t.field({
      type: 'TokenId',
      nullable: false,
      description: 'Unique within its contract.',
      resolve: ({ key }) => key.tokenId,
    }),
    contractAddress: t.field({
      type: 'Address',
      description: 'The contract of the token: its collection, or the registry.',
      resolve: ({ key }, _args, { fresh }) => fresh.reads.contractOf(key) ?? null,
    }),
    indexing: t.field({
      type: IndexingEnum,
      nullable: false,
      description: 'Whether the chain’s part is there.',
      resolve: (record) => after(record.chain(), ({ indexing }) => indexing),
    }),
    indexedAtBlock: t.field({
      type: 'BigInt',
      description: 'The block that the chain’s part was read at; the same for everything in one query.',
      resolve: (record) => after(record.chain(), ({ block }) => block ?? null),
    }),
    collection: t.field({
      type: Collection,
      description: 'Null for a record in the registry. From the subgraph.',
      resolve: (record) => record.row(({ collection }) => collection),
    }),
    owner: t.field({
      type: 'Address',
      description: 'Who owns the token. From the subgraph.',
      resolve: (record) => record.row(({ ownerAddress }) => addressOrNull(ownerAddress)),
    }),
    issuer: t.field({
      type: LicensedUser,
      description: 'Who issued it. From the subgraph.',
      resolve: (record) => record.row(({ issuer }) => issuer),
    }),
    artist: t.field({
      type: LicensedUser,
      description:
        'Null when the artist is no licensed user; artistAddress is there all the same. From the subgraph.',
      resolve: (record) => record.row(({ artist }) => artist),
    }),
    artistAddress: t.field({
      type: 'Address',
      description: 'The artist’s wallet. From the subgraph.',
      resolve: (record) => record.row(({ artistAddress }) => addressOrNull(artistAddress)),
    }),
    isPrimaryIssuer: t.boolean({
      description: 'Whether its issuer is the primary one. From the subgraph.',
      resolve: (record) => record.row(({ isPrimaryIssuer }) => isPrimaryIssuer),
    }),
    lockExternalTransfer: t.boolean({
      description: 'Whether the standard ERC-721 transfer methods are disabled. From the subgraph.',
      resolve: (record) => record.row(({ lockExternalTransfer }) => lockExternalTransfer),
    }),
    royalty: t.field({
      type: Royalty,
      description: 'Null when none is set. From the subgraph.',
      resolve: (record) =>
        record.row(({ royaltyReceiver: receiver, royaltyBasisPoints: basisPoints }) =>
          receiver == null || basisPoints == null ? null : { receiver, basisPoints },
        ),
    }),
    metadataCID: t.field({
      type: 'CID',
      description:
        'Of the metadata document: the chain’s, else the issue result’s. Null for records from before 2023.',
      resolve: (record) =>
        record.metadataDigest((digest) => (digest?.startsWith('0x') ? null : (digest ?? null))),
    }),
    metadataUrl: t.field({
      type: 'URL',
      description: 'Where a browser can load the metadata document.',
      resolve: (record, _args, { fresh }) =>
        record.metadataDigest((digest) => {
          const url = digest && fresh.reads.metadataUrl(digest, record.key);
          return url || (record.issued?.metadataUrl ?? null);
        }),
    }),
    metadata: t.field({
      type: SRRMetadata,
      description:
        'The document behind metadataCID, verified. From IPFS, before 2023 from the issuance service; metadataStatus says why it is null.',
      resolve: (record, _args, { fresh }) =>
        record.metadataDigest((digest) =>
          digest === undefined ? null : after(fresh.reads.metadata(digest, record.key), metadataOf),
        ),
    }),
    metadataStatus: t.field({
      type: MetadataStatusEnum,
      nullable: false,
      description: 'Whether the metadata is there, and why not.',
      resolve: (record, _args, { fresh }) =>
        record.metadataDigest((digest): MaybePromise<MetadataStatus> => {
          if (digest !== undefined)
            return after(fresh.reads.metadata(digest, record.key), ({ status }) => status);
          return after(record.chain(), ({ indexing }) =>
            indexing === 'UNAVAILABLE' ? 'UNAVAILABLE' : 'PENDING',
          );
        }),
    }),
    provenance: t.connection(
      {
        type: ProvenanceConnection.node,
        description: 'Its transfers, oldest first. From the subgraph.',
        resolve: (record, args, { fresh }) => {
          const window = { first: forwardSize(args), after: args.after };
          return record.row(({ id }) => fresh.reads.provenance(id, window));
        },
      },
      ProvenanceConnection.connection,
    ),
    metadataHistory: t.connection(
      {
        type: MetadataHistoryConnection.node,
        description: 'The metadata it had, oldest first. From the subgraph.',
        resolve: (record, args, { fresh }) => {
          const window = { first: forwardSize(args), after: args.after };
          return record.row(({ id }) => fresh.reads.metadataHistory(id, window));
        },
      },
      MetadataHistoryConnection.connection,
    ),
    customHistories: t.connection(
      {
        type: CustomHistoryConnection.node,
        description: 'Exhibitions, auctions and the like that it was part of. From the subgraph.',
        resolve: (record, args, { fresh }) => {
          const window = { first: forwardSize(args), after: args.after };
          return record.row(async ({ id }) => {
            const page = await fresh.reads.customHistories(id, window);
            return {
              ...page,
              edges: page.edges.flatMap((edge) =>
                edge.node.customHistory ? [edgeOf(edge.node.customHistory, () => edge.cursor)] : [],
              ),
            };
          });
        },
      },
      CustomHistoryConnection.connection,
    ),
    transferCommitment: t.string({
      description: 'Of a transfer that is reserved and not yet run. From the subgraph.',
      resolve: (record) => record.row(({ transferCommitment }) => transferCommitment),
    }),
    originChain: t.string({
      description: 'eip155:<chain id> of the chain it was minted on. From the subgraph.',
      resolve: (record) => record.row(({ originChain }) => originChain),
    }),
    originTxHash: t.string({
      description: 'The transaction it was first seen in. From the subgraph.',
      resolve: (record) => record.row(({ originTxHash }) => originTxHash),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was minted. From the subgraph.',
      resolve: (record) => record.row(({ createdAt }) => moment(createdAt)),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When it last changed on chain; a change of its lock does not count. From the subgraph.',
      resolve: (record) => record.row(({ updatedAt }) => moment(updatedAt)),
    }),
    issuance: t.field({
      type: IssuanceEntry,
      description: 'The viewer’s own issuance of it; null for everybody else.',
      resolve: ({ key }, _args, { fresh }) => fresh.issuances.entryOfToken.load(key),
    }),
  }),
});

const addressOrNull = (address: string | null | undefined) => (address == null ? null : checksummed(address));

/** Null for a record that nobody knows; one that is issued and not indexed yet is known by its issuer. */
async function recordOrNull(record: RecordSource, { fresh }: Context): Promise<RecordSource | null> {
  const { indexing } = await record.chain();
  if (indexing !== 'NOT_YET_INDEXED') return record;
  const entry = await fresh.issuances.entryOfToken.load(record.key);
  if (!entry) return null;
  return record.withIssued({ metadataCID: entry.metadata_cid, metadataUrl: entry.metadata_url });
}

builder.queryFields((t) => ({
  srr: t.field({
    type: SRR,
    description: 'One record by its token. Null when nobody knows it.',
    args: {
      tokenId: t.arg({ type: 'TokenId', required: true, description: 'Within its contract.' }),
      collection: t.arg({ type: 'Address', description: 'Its collection; absent: the registry.' }),
    },
    resolve: (_root, { tokenId, collection }, context) => {
      const { reads } = context.fresh;
      return recordOrNull(recordOfKey(reads.keyOf(collection, tokenId), reads), context);
    },
  }),
  srrs: t.connection(
    {
      type: SRR,
      nullable: false,
      description:
        'Records, newest first unless told otherwise. Every page of one walk is read at one block: nothing repeats, nothing is left out.',
      args: {
        where: t.arg({
          type: SRRFilter,
          description: 'Only records to which all of these conditions apply.',
        }),
        orderBy: t.arg({ type: SRROrder, description: 'In which order; CREATED_AT_DESC when absent.' }),
      },
      resolve: (_root, args, context) => recordPage(args, context),
    },
    SRRConnection,
  ),
}));
