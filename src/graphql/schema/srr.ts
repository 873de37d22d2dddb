import { parseAddress } from '@srr-gateway/common/address';
import { edgeOf, type MetadataStatus } from '../../catalog/catalog.ts';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';
import { isTokenId } from '../../model/token-id.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { CustomHistoryConnection, MetadataHistoryConnection, ProvenanceConnection } from './histories.ts';
import { IssuanceEntry } from './issuance-entry.ts';
import { metadataOf, SRRMetadata } from './metadata.ts';
import { MetadataStatusEnum } from './metadata-status.ts';
import { forwardSize } from './page.ts';
import { type RecordSource, recordOfKey } from './record-source.ts';
import { Collection, LicensedUser, SRR, SRRConnection } from './refs.ts';
import { recordPage, SRRFilter, SRROrder } from './srr-list.ts';
import { moment } from './times.ts';

const IndexingEnum = builder.enumType('Indexing', {
  description: 'Whether the subgraph has a record.',
  values: {
    INDEXED: { description: 'The subgraph has the record.' },
    NOT_YET_INDEXED: { description: 'The subgraph does not have the record, or not yet.' },
    UNAVAILABLE: { description: 'The subgraph could not be read; the error beside the data says why.' },
  } as const,
});

const Royalty = builder.objectRef<{ receiver: string; basisPoints: number }>('Royalty').implement({
  description: 'The royalty that a marketplace should pay on a resale (ERC-2981), read from the subgraph.',
  fields: (t) => ({
    receiver: t.field({
      type: 'Address',
      nullable: false,
      description: 'The address that receives the royalty.',
      resolve: ({ receiver }) => checksummed(receiver),
    }),
    basisPoints: t.exposeInt('basisPoints', {
      nullable: false,
      description: 'The royalty in basis points (hundredths of a percent).',
    }),
    percent: t.float({
      nullable: false,
      description: 'The royalty in percent of the price.',
      resolve: ({ basisPoints }) => basisPoints / 100,
    }),
  }),
});

const checksummed = (address: string): string => parseAddress(address) ?? address;

const idText = ({ key }: RecordSource) => `${key.collection ?? 'registry'}/${key.tokenId}`;

builder.node(SRR, {
  id: { description: 'The global id of this record. It never changes.', resolve: idText },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'metadataDigest' in value,
  description:
    'A registry record (an NFT), joined from the subgraph, IPFS and the issuance service’s answer. A source that is down leaves only its own fields null: fields from the subgraph are null unless indexing is INDEXED.',
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
      description: 'The token id of the record, unique within its contract.',
      resolve: ({ key }) => key.tokenId,
    }),
    contractAddress: t.field({
      type: 'Address',
      description:
        'The address of the token’s contract: its collection’s, or the registry’s. Null for a registry record when the gateway does not know the registry’s address.',
      resolve: ({ key }, _args, { fresh }) => fresh.reads.contractOf(key) ?? null,
    }),
    indexing: t.field({
      type: IndexingEnum,
      nullable: false,
      description: 'Whether the subgraph has this record.',
      resolve: (record) => after(record.chain(), ({ indexing }) => indexing),
    }),
    indexedAtBlock: t.field({
      type: 'BigInt',
      description:
        'The block at which the subgraph was read, the same for everything in one query. Null unless indexing is INDEXED.',
      resolve: (record) => after(record.chain(), ({ block }) => block ?? null),
    }),
    collection: t.field({
      type: Collection,
      description:
        'The collection that the record is in. Null for a record in the registry. From the subgraph.',
      resolve: (record) => record.row(({ collection }) => collection),
    }),
    owner: t.field({
      type: 'Address',
      description: 'The address that owns the token. From the subgraph.',
      resolve: (record) => record.row(({ ownerAddress }) => addressOrNull(ownerAddress)),
    }),
    issuer: t.field({
      type: LicensedUser,
      description: 'The licensed user who issued the record. From the subgraph.',
      resolve: (record) => record.row(({ issuer }) => issuer),
    }),
    artist: t.field({
      type: LicensedUser,
      description:
        'The artist as a licensed user. Null when the artist is not one; artistAddress is set all the same. From the subgraph.',
      resolve: (record) => record.row(({ artist }) => artist),
    }),
    artistAddress: t.field({
      type: 'Address',
      description: 'The artist’s wallet address. From the subgraph.',
      resolve: (record) => record.row(({ artistAddress }) => addressOrNull(artistAddress)),
    }),
    isPrimaryIssuer: t.boolean({
      description: 'Whether the issuer is the primary issuer of the work. From the subgraph.',
      resolve: (record) => record.row(({ isPrimaryIssuer }) => isPrimaryIssuer),
    }),
    lockExternalTransfer: t.boolean({
      description: 'Whether transfers by the standard ERC-721 methods are forbidden. From the subgraph.',
      resolve: (record) => record.row(({ lockExternalTransfer }) => lockExternalTransfer),
    }),
    royalty: t.field({
      type: Royalty,
      description: 'The royalty of the record. Null when none is set. From the subgraph.',
      resolve: (record) =>
        record.row(({ royaltyReceiver: receiver, royaltyBasisPoints: basisPoints }) =>
          receiver == null || basisPoints == null ? null : { receiver, basisPoints },
        ),
    }),
    metadataCID: t.field({
      type: 'CID',
      description:
        'The CID of the metadata document, from the subgraph, or from the issuance service’s answer until it is indexed. Null for records from before 2023.',
      resolve: (record) =>
        record.metadataDigest((digest) => (digest?.startsWith('0x') ? null : (digest ?? null))),
    }),
    metadataUrl: t.field({
      type: 'URL',
      description:
        'The address where a browser can load the metadata document. Null when no document is known.',
      resolve: (record, _args, { fresh }) =>
        record.metadataDigest((digest) => {
          const url = digest && fresh.reads.metadataUrl(digest, record.key);
          return url || (record.issued?.metadataUrl ?? null);
        }),
    }),
    metadata: t.field({
      type: SRRMetadata,
      description:
        'The metadata document, checked against its CID, from IPFS (before 2023: from the issuance service). metadataStatus says whether it is verified, or why it is null.',
      resolve: (record, _args, { fresh }) =>
        record.metadataDigest((digest) =>
          digest === undefined ? null : after(fresh.reads.metadata(digest, record.key), metadataOf),
        ),
    }),
    metadataStatus: t.field({
      type: MetadataStatusEnum,
      nullable: false,
      description: 'Whether the metadata document is available, and if not, why.',
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
        description: 'The record’s transfers, oldest first. From the subgraph.',
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
        description: 'The metadata documents that the record has had, oldest first. From the subgraph.',
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
        description:
          'The exhibitions, auctions and similar events that the record was part of. From the subgraph.',
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
      description:
        'The commitment of a transfer that is reserved but not yet executed. Null when none is reserved. From the subgraph.',
      resolve: (record) => record.row(({ transferCommitment }) => transferCommitment),
    }),
    originChain: t.string({
      description: 'The chain that the record was minted on, as eip155:<chain id>. From the subgraph.',
      resolve: (record) => record.row(({ originChain }) => originChain),
    }),
    originTxHash: t.string({
      description: 'The hash of the transaction in which the record was first seen. From the subgraph.',
      resolve: (record) => record.row(({ originTxHash }) => originTxHash),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the record was minted. From the subgraph.',
      resolve: (record) => record.row(({ createdAt }) => moment(createdAt)),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description:
        'When the record last changed on chain. A change of its transfer lock does not count. From the subgraph.',
      resolve: (record) => record.row(({ updatedAt }) => moment(updatedAt)),
    }),
    issuance: t.field({
      type: IssuanceEntry,
      description:
        'The viewer’s own issuance entry of this record, from the gateway’s database. Null for everybody else.',
      resolve: ({ key }, _args, { fresh }) => fresh.issuances.entryOfToken.load(key),
    }),
  }),
});

const addressOrNull = (address: string | null | undefined) => (address == null ? null : checksummed(address));

/**
 * Null for a record that nobody knows. The issuer also knows its record before the subgraph has indexed it.
 */
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
    description:
      'Fetches a record by its token id and contract. Null when neither the subgraph nor the caller’s own issuances have it.',
    args: {
      tokenId: t.arg({
        type: 'TokenId',
        required: true,
        description: 'The token id, which is unique within its contract.',
      }),
      collection: t.arg({
        type: 'Address',
        description:
          'The contract address of the record’s collection. When it is absent or the registry’s own address, the record is looked up in the registry.',
      }),
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
        'Lists records from the subgraph, newest first unless orderBy says otherwise. All pages reached by cursor from one page are read at one block, so nothing repeats and nothing is left out.',
      args: {
        where: t.arg({
          type: SRRFilter,
          description: 'Lists only records that meet all of these conditions.',
        }),
        orderBy: t.arg({
          type: SRROrder,
          description: 'The order of the list. The default is CREATED_AT_DESC (newest first).',
        }),
      },
      resolve: (_root, args, context) => recordPage(args, context),
    },
    SRRConnection,
  ),
}));
