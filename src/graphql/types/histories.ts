import { parseAddress } from '@srr-gateway/common/address';
import type { CustomHistoryRecord, MetadataHistoryRecord, ProvenanceRecord } from '../../catalog/catalog.ts';
import { after } from '../../lib/maybe-promise.ts';
import { builder } from '../builder.ts';
import { metadataOf, SRRMetadata } from './metadata.ts';
import { momentOf } from './times.ts';

const checksummed = (address: string): string => parseAddress(address) ?? address;

const CustomHistory = builder.node(builder.objectRef<CustomHistoryRecord>('CustomHistory'), {
  id: { description: 'Of this history, for ever.', resolve: ({ id }) => id },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'historyType' in value,
  description: 'An exhibition, auction or the like that records were part of. From the subgraph.',
  loadOne: (id, { fresh }) => fresh.reads.customHistory.load(id),
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'What it is called.' }),
    type: t.string({
      nullable: false,
      description: 'exhibition, auction, …',
      resolve: ({ historyType }) => historyType.name,
    }),
    metadataDigest: t.exposeString('metadataDigest', {
      nullable: false,
      description: 'CID or hash of its own document.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was recorded.',
      resolve: (row) => momentOf(row.createdAt),
    }),
  }),
});

const Provenance = builder.objectRef<ProvenanceRecord>('Provenance').implement({
  description: 'A transfer of a record. From the subgraph.',
  fields: (t) => ({
    from: t.field({
      type: 'Address',
      nullable: false,
      description: 'Who had it.',
      resolve: (row) => checksummed(row.from),
    }),
    to: t.field({
      type: 'Address',
      nullable: false,
      description: 'Who got it.',
      resolve: (row) => checksummed(row.to),
    }),
    timestamp: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the record changed hands: the time of the block. From the subgraph.',
      resolve: (row) => momentOf(row.timestamp),
    }),
    isIntermediary: t.boolean({
      description: 'Whether the receiver only passes it on.',
      resolve: (row) => row.isIntermediary,
    }),
    metadataDigest: t.string({
      description: 'CID or hash of the transfer’s own document, when it has one.',
      resolve: (row) => row.metadataDigest || null,
    }),
    metadataUri: t.string({
      description: 'Address of that document.',
      resolve: (row) => row.metadataURI || null,
    }),
    customHistory: t.field({
      type: CustomHistory,
      description: 'The event that it was part of.',
      resolve: (row) => row.customHistory,
    }),
  }),
});

const MetadataHistory = builder.objectRef<MetadataHistoryRecord>('MetadataHistory').implement({
  description: 'A metadata document that a record had from some moment on. From the subgraph.',
  fields: (t) => ({
    metadataDigest: t.exposeString('metadataDigest', {
      nullable: false,
      description: 'CID, or hash before 2023.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'From when on.',
      resolve: (row) => momentOf(row.createdAt),
    }),
    metadata: t.field({
      type: SRRMetadata,
      description: 'The document, verified. From IPFS.',
      resolve: ({ metadataDigest }, _args, { fresh }) =>
        after(fresh.reads.metadata(metadataDigest), metadataOf),
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
