import type { ChildPages, KeysetPage, MetadataStatus, PageArgs, SrrRecord } from '../../catalog/catalog.ts';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';
import { recordKeyIn, recordKeyText } from '../../model/record.ts';
import { builder } from './builder.ts';
import { children, childrenKey, needs, relation } from './columns.ts';
import { CustomHistoryConnection, MetadataHistoryConnection, ProvenanceConnection } from './histories.ts';
import { IssuanceEntry } from './issuance-entry.ts';
import { metadataOf, SRRMetadata } from './metadata.ts';
import { MetadataStatusEnum } from './metadata-status.ts';
import { forwardOnly, forwardSize } from './page.ts';
import { RecordSource, recordOfKey, recordOrNull } from './record-source.ts';
import { Collection, LicensedUser, SRR } from './refs.ts';
import { dateOrNull } from './times.ts';

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
      resolve: ({ receiver }) => receiver,
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

/** Options of a field that is read from these columns of a record's row; null when there is no row. */
const srrColumns = <Name extends keyof SrrRecord, Value>(
  names: readonly Name[],
  read: (row: Pick<SrrRecord, Name>) => MaybePromise<Value>,
) => ({ ...needs(...names), resolve: (record: RecordSource) => record.row(read) });

/** Columns of a record's key. */
const keyColumns = needs('tokenId', 'collection');
/** Columns that locate the document. One from before 2023 is located by its record. */
const metadataColumns = needs('metadataDigest', 'tokenId', 'collection');

builder.node(SRR, {
  id: {
    description: 'The global id of this record. It never changes.',
    ...keyColumns,
    resolve: ({ key }) => recordKeyText(key),
  },
  isTypeOf: (value) => value instanceof RecordSource,
  description:
    'A registry record (an NFT), joined from the subgraph, IPFS and the issuance service’s answer. A source that is down leaves only its own fields null: fields from the subgraph are null unless indexing is INDEXED.',
  loadOne: async (id, context) => {
    const key = recordKeyIn(id);
    return key ? recordOrNull(recordOfKey(key, context.loaders.reads), context) : null;
  },
  fields: (t) => ({
    tokenId: t.field({
      type: 'TokenId',
      nullable: false,
      description: 'The token id of the record, unique within its contract.',
      ...keyColumns,
      resolve: ({ key }) => key.tokenId,
    }),
    contractAddress: t.field({
      type: 'Address',
      description:
        'The address of the token’s contract: its collection’s, or the registry’s. Null for a registry record when the gateway does not know the registry’s address.',
      ...keyColumns,
      resolve: ({ key }, _args, { loaders }) => loaders.reads.contractOf(key) ?? null,
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
        'The block at which the subgraph was read. A query is read at one block, except for a page after a cursor, which is read at the block of its first page. Null unless indexing is INDEXED.',
      resolve: (record) => after(record.chain(), ({ at }) => at?.number ?? null),
    }),
    collection: t.field({
      type: Collection,
      description:
        'The collection that the record is in. Null for a record in the registry. From the subgraph.',
      ...relation('collection'),
      resolve: (record) => record.row(({ collection }) => collection),
    }),
    owner: t.field({
      type: 'Address',
      description: 'The address that owns the token. From the subgraph.',
      ...srrColumns(['ownerAddress'], ({ ownerAddress }) => ownerAddress),
    }),
    issuer: t.field({
      type: LicensedUser,
      description: 'The licensed user who issued the record. From the subgraph.',
      ...relation('issuer'),
      resolve: (record) => record.row(({ issuer }) => issuer),
    }),
    artist: t.field({
      type: LicensedUser,
      description:
        'The artist as a licensed user. Null when the artist is not one; artistAddress still has the address. From the subgraph.',
      ...relation('artist'),
      resolve: (record) => record.row(({ artist }) => artist),
    }),
    artistAddress: t.field({
      type: 'Address',
      description: 'The artist’s wallet address. From the subgraph.',
      ...srrColumns(['artistAddress'], ({ artistAddress }) => artistAddress),
    }),
    isPrimaryIssuer: t.boolean({
      description: 'Whether the issuer is the primary issuer of the work. From the subgraph.',
      ...srrColumns(['isPrimaryIssuer'], ({ isPrimaryIssuer }) => isPrimaryIssuer),
    }),
    lockExternalTransfer: t.boolean({
      description: 'Whether transfers by the standard ERC-721 methods are forbidden. From the subgraph.',
      ...srrColumns(['lockExternalTransfer'], ({ lockExternalTransfer }) => lockExternalTransfer),
    }),
    royalty: t.field({
      type: Royalty,
      description: 'The royalty of the record. Null when none is set. From the subgraph.',
      ...srrColumns(
        ['royaltyReceiver', 'royaltyBasisPoints'],
        ({ royaltyReceiver: receiver, royaltyBasisPoints: basisPoints }) =>
          receiver == null || basisPoints == null ? null : { receiver, basisPoints },
      ),
    }),
    metadataCID: t.field({
      type: 'CID',
      description:
        'The CID of the metadata document, from the subgraph, or from the issuance service’s answer until it is indexed. Null for records from before 2023.',
      ...needs('metadataDigest'),
      resolve: (record) =>
        record.metadataDigest((digest) => (digest?.startsWith('0x') ? null : (digest ?? noDigest(record)))),
    }),
    metadataUrl: t.field({
      type: 'URL',
      description:
        'The address where a browser can load the metadata document. Null when no document is known.',
      ...metadataColumns,
      resolve: (record, _args, { loaders }) =>
        record.metadataDigest((digest) => {
          const url = digest && loaders.reads.documents.urlOf(digest, record);
          return url || (record.issued?.metadata_url ?? noDigest(record));
        }),
    }),
    metadata: t.field({
      type: SRRMetadata,
      description:
        'The metadata document, checked against its CID, from IPFS (before 2023: from the issuance service). metadataStatus says whether it is verified, or why it is null.',
      ...metadataColumns,
      resolve: (record, _args, { loaders }) =>
        record.metadataDigest((digest) =>
          digest === undefined ? noDigest(record) : after(loaders.metadata(digest, record), metadataOf),
        ),
    }),
    metadataStatus: t.field({
      type: MetadataStatusEnum,
      nullable: false,
      description: 'Whether the metadata document is available, and if not, why.',
      ...metadataColumns,
      resolve: (record, _args, { loaders }) =>
        record.metadataDigest((digest): MaybePromise<MetadataStatus> => {
          if (digest !== undefined) return after(loaders.metadata(digest, record), ({ status }) => status);
          return after(record.chain(), ({ indexing }) =>
            indexing === 'UNAVAILABLE' ? 'UNAVAILABLE' : 'PENDING',
          );
        }),
    }),
    provenance: t.connection(
      {
        type: ProvenanceConnection.node,
        description: `The record’s transfers, oldest first. From the subgraph. ${forwardOnly}`,
        ...children('provenance', 'timestamp'),
        resolve: (record, args, { loaders }) =>
          childPage(record, 'provenance', args, loaders.reads.provenance),
      },
      ProvenanceConnection.connection,
    ),
    metadataHistory: t.connection(
      {
        type: MetadataHistoryConnection.node,
        description: `The metadata documents that the record has had, oldest first. From the subgraph. ${forwardOnly}`,
        ...children('metadataHistory', 'createdAt'),
        resolve: (record, args, { loaders }) =>
          childPage(record, 'metadataHistory', args, loaders.reads.metadataHistory),
      },
      MetadataHistoryConnection.connection,
    ),
    customHistories: t.connection(
      {
        type: CustomHistoryConnection.node,
        description: `The exhibitions, auctions and similar events that the record was part of. From the subgraph. ${forwardOnly}`,
        ...children('history', 'createdAt', (below) => `customHistory { ${below || 'id'} }`),
        resolve: (record, args, { loaders }) =>
          after(
            childPage(record, 'history', args, loaders.reads.customHistories),
            (page) =>
              page && {
                ...page,
                edges: page.edges.flatMap((edge) =>
                  edge.node.customHistory ? [edge.with(edge.node.customHistory)] : [],
                ),
              },
          ),
      },
      CustomHistoryConnection.connection,
    ),
    transferCommitment: t.string({
      description:
        'The commitment of a transfer that is reserved but not yet executed. Null when none is reserved. From the subgraph.',
      ...srrColumns(['transferCommitment'], ({ transferCommitment }) => transferCommitment),
    }),
    originChain: t.string({
      description: 'The chain that the record was minted on, as eip155:<chain id>. From the subgraph.',
      ...srrColumns(['originChain'], ({ originChain }) => originChain),
    }),
    originTxHash: t.string({
      description: 'The hash of the transaction in which the record was first seen. From the subgraph.',
      ...srrColumns(['originTxHash'], ({ originTxHash }) => originTxHash),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the record was minted. From the subgraph.',
      ...srrColumns(['createdAt'], ({ createdAt }) => dateOrNull(createdAt)),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description:
        'When the record last changed on chain. A change of its transfer lock does not count. From the subgraph.',
      ...srrColumns(['updatedAt'], ({ updatedAt }) => dateOrNull(updatedAt)),
    }),
    issuance: t.field({
      type: IssuanceEntry,
      description:
        'The caller’s own issuance entry of this record, from the gateway’s database. Null for other callers.',
      ...keyColumns,
      resolve: ({ key }, _args, { loaders }) => loaders.issuances.entryOfToken.load(key),
    }),
  }),
});

/** Null for a record without a document; an error while the subgraph cannot say (see `row`). */
const noDigest = (record: RecordSource): MaybePromise<null> => record.row(() => null);

/** A page of a record's children: loaded with its row, else read by its id. */
function childPage<Child>(
  record: RecordSource,
  name: string,
  args: PageArgs,
  read: ChildPages<Child>,
): MaybePromise<KeysetPage<Child> | null> {
  const first = forwardSize(args);
  return record.row((row, at) => {
    const rows = (row as unknown as Record<string, Child[] | undefined>)[childrenKey(name, first + 1)];
    // A row with neither children nor an id is from an older subgraph without this column.
    const known = rows ?? (row.id === undefined ? [] : undefined);
    const ofRecord = { block: at, children: args.after == null ? known : undefined };
    return read(row.id, { first, after: args.after }, ofRecord);
  });
}
