import { encodeGlobalID } from '@pothos/plugin-relay';
import type { CustomHistoryRecord, MetadataHistoryRecord, ProvenanceRecord } from '../../catalog/catalog.ts';
import { after } from '../../lib/maybe-promise.ts';
import { builder } from './builder.ts';
import { fromColumns, needs, relation } from './columns.ts';
import { metadataOf, SRRMetadata } from './metadata.ts';
import { bothWays } from './page.ts';
import { SRR, SRRConnection } from './refs.ts';
import { idField } from './relay-options.ts';
import { recordPage } from './srr-list.ts';
import { dateOf } from './times.ts';

const customHistoryColumns = fromColumns<CustomHistoryRecord>();
const provenanceColumns = fromColumns<ProvenanceRecord>();
const metadataHistoryColumns = fromColumns<MetadataHistoryRecord>();

const CustomHistory = builder.node(builder.objectRef<CustomHistoryRecord>('CustomHistory'), {
  id: {
    description: 'The global id of this history. It never changes.',
    ...customHistoryColumns(['id'], ({ id }) => id),
  },
  // Rows have only the selected columns, so Pothos cannot recognise their type by shape.
  brandLoadedObjects: true,
  description: 'An exhibition, auction or similar event that records were part of, read from the subgraph.',
  loadOne: (id, { loaders }) => loaders.reads.customHistory(id),
  fields: (t) => ({
    name: t.string({
      nullable: false,
      description: 'The name of the exhibition, auction or similar event.',
      ...customHistoryColumns(['name'], ({ name }) => name),
    }),
    type: t.string({
      nullable: false,
      description: 'The kind of history as the subgraph names it, such as exhibition or auction.',
      ...customHistoryColumns(['historyType'], ({ historyType }) => historyType.name),
    }),
    metadataDigest: t.string({
      nullable: false,
      description: 'The CID or hash of the history’s own metadata document.',
      ...customHistoryColumns(['metadataDigest'], ({ metadataDigest }) => metadataDigest),
    }),
    srrs: t.connection(
      {
        type: SRR,
        description: `The records that are part of this history, newest first. From the subgraph. ${bothWays}`,
        ...needs('id'),
        resolve: ({ id }, args, context, info) => recordPage(args, context, info, { customHistory: id }),
      },
      SRRConnection,
    ),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the history was recorded on chain.',
      ...customHistoryColumns(['createdAt'], ({ createdAt }) => dateOf(createdAt)),
    }),
  }),
});

const Provenance = builder.objectRef<ProvenanceRecord>('Provenance').implement({
  description: 'A transfer of a record to another owner, read from the subgraph.',
  fields: (t) => ({
    id: t.id({
      ...idField('transfer'),
      ...provenanceColumns(['id'], ({ id }) => encodeGlobalID('Provenance', id)),
    }),
    from: t.field({
      type: 'Address',
      nullable: false,
      description: 'The address of the previous owner.',
      ...provenanceColumns(['from'], ({ from }) => from),
    }),
    to: t.field({
      type: 'Address',
      nullable: false,
      description: 'The address of the new owner.',
      ...provenanceColumns(['to'], ({ to }) => to),
    }),
    timestamp: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the record changed hands: the time of the block. From the subgraph.',
      ...provenanceColumns(['timestamp'], ({ timestamp }) => dateOf(timestamp)),
    }),
    isIntermediary: t.boolean({
      description:
        'Whether the new owner is an intermediary who passes the record on. Null when the subgraph does not have it.',
      ...provenanceColumns(['isIntermediary'], ({ isIntermediary }) => isIntermediary),
    }),
    metadataDigest: t.string({
      description: 'The CID or hash of the transfer’s own metadata document. Null when it has none.',
      ...provenanceColumns(['metadataDigest'], ({ metadataDigest }) => metadataDigest || null),
    }),
    metadataUri: t.string({
      description: 'The address of the transfer’s own metadata document. Null when it has none.',
      ...provenanceColumns(['metadataURI'], ({ metadataURI }) => metadataURI || null),
    }),
    customHistory: t.field({
      type: CustomHistory,
      description:
        'The exhibition, auction or similar event that the transfer was part of. Null when there was none.',
      ...relation('customHistory'),
      resolve: ({ customHistory }) => customHistory,
    }),
  }),
});

const MetadataHistory = builder.objectRef<MetadataHistoryRecord>('MetadataHistory').implement({
  description: 'A metadata document that a record had from a certain time on, read from the subgraph.',
  fields: (t) => ({
    id: t.id({
      ...idField('change'),
      ...metadataHistoryColumns(['id'], ({ id }) => encodeGlobalID('MetadataHistory', id)),
    }),
    metadataDigest: t.string({
      nullable: false,
      description: 'The CID of the document, or its hash when it is from before 2023.',
      ...metadataHistoryColumns(['metadataDigest'], ({ metadataDigest }) => metadataDigest),
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the record got this document.',
      ...metadataHistoryColumns(['createdAt'], ({ createdAt }) => dateOf(createdAt)),
    }),
    metadata: t.field({
      type: SRRMetadata,
      description:
        'The document itself, from IPFS, or from the issuance service when it is from before 2023. Null when it cannot be read or does not match its CID.',
      ...needs('metadataDigest'),
      resolve: ({ metadataDigest }, _args, { loaders }) =>
        after(loaders.metadata(metadataDigest), metadataOf),
    }),
  }),
});

export const ProvenanceConnection = {
  node: Provenance,
  connection: builder.connectionObject(
    { type: Provenance, name: 'ProvenanceConnection' },
    builder.edgeObject({ type: Provenance, name: 'ProvenanceEdge' }),
  ),
};
export const MetadataHistoryConnection = {
  node: MetadataHistory,
  connection: builder.connectionObject(
    { type: MetadataHistory, name: 'MetadataHistoryConnection' },
    builder.edgeObject({ type: MetadataHistory, name: 'MetadataHistoryEdge' }),
  ),
};
export const CustomHistoryConnection = {
  node: CustomHistory,
  connection: builder.connectionObject(
    { type: CustomHistory, name: 'CustomHistoryConnection' },
    builder.edgeObject({ type: CustomHistory, name: 'CustomHistoryEdge' }),
  ),
};
