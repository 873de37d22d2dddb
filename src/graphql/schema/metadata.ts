import type { MetadataResult } from '../../catalog/catalog.ts';
import {
  chipUIDs,
  digitalComponents,
  hashedFiles,
  languageMap,
  linkOf,
  maxItems,
  objectOrNull,
  textOf,
} from '../../catalog/metadata-accessors.ts';
import { immutable } from '../execution/prepared/immutable-parts.ts';
import { builder } from './builder.ts';
import { Media } from './media.ts';
import { MetadataStatusEnum } from './metadata-status.ts';
import { HashedFile, LocalizedText, SRRContractTerms, SRREdition, SRRSize } from './metadata-values.ts';

/** A result with a document. */
type ShownDocument = MetadataResult & Required<Pick<MetadataResult, 'document' | 'id'>>;

export const SRRMetadata = builder.node(builder.objectRef<ShownDocument>('SRRMetadata'), {
  ...immutable(({ document }: ShownDocument) => document),
  id: {
    description: 'The global id of this document, by its CID: equal content has the same id in every record.',
    resolve: ({ id }) => id,
  },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'document' in value,
  loadOne: async (id, { loaders }) => metadataOf(await loaders.namedMetadata({ id })),
  description:
    'The metadata document of a record, from IPFS, or from the issuance service for records from before 2023. A field that is missing or has another type is null; raw has everything.',
  fields: (t) => ({
    schema: t.string({
      nullable: false,
      description: 'The address of the metadata schema that the document follows. Empty when it names none.',
      resolve: ({ document: doc }) => textOf(doc.$schema) ?? '',
    }),
    name: t.string({
      description:
        'The name of the record, shown by wallets and marketplaces. Null when the document does not state it.',
      resolve: ({ document: doc }) => textOf(doc.name),
    }),
    title: t.field({
      type: LocalizedText,
      description: 'The title of the work, by language. Null when the document does not state it.',
      resolve: ({ document: doc }) => languageMap(doc.title),
    }),
    medium: t.field({
      type: LocalizedText,
      description:
        'The medium of the work (what it is made of), by language. Null when the document does not state it.',
      resolve: ({ document: doc }) => languageMap(doc.medium),
    }),
    yearOfCreation: t.field({
      type: LocalizedText,
      description:
        'The year of creation, by language, as free text. Null when the document does not state it.',
      resolve: ({ document: doc }) => languageMap(doc.yearOfCreation),
    }),
    note: t.field({
      type: LocalizedText,
      description: 'A free-text note on the work, by language. Null when the document does not state it.',
      resolve: ({ document: doc }) => languageMap(doc.note),
    }),
    description: t.string({
      description: 'A description of the record for marketplaces. Null when the document does not state it.',
      resolve: ({ document: doc }) => textOf(doc.description),
    }),
    externalUrl: t.string({
      description: 'The address of a page about the work. Null when it is not an http(s) or IPFS address.',
      resolve: ({ document: doc }) => linkOf(doc.external_url),
    }),
    image: t.field({
      type: Media,
      description: 'The picture of the work. Null when its address is not http(s) or IPFS.',
      resolve: ({ document: doc }) => linkOf(doc.image),
    }),
    thumbnail: t.field({
      type: Media,
      description: 'A small picture of the work. Null when its address is not http(s) or IPFS.',
      resolve: ({ document: doc }) => linkOf(doc.thumbnailURL),
    }),
    size: t.field({
      type: SRRSize,
      description: 'The size of the work. Null when the document does not state it.',
      resolve: ({ document: doc }) => objectOrNull(doc.size),
    }),
    edition: t.field({
      type: SRREdition,
      description:
        'The edition of the work: which copy of how many. Null when the document does not state it.',
      resolve: ({ document: doc }) => objectOrNull(doc.edition),
    }),
    contractTerms: t.field({
      type: SRRContractTerms,
      description:
        'The royalty and the terms of the contract that comes with the record. Null when the document does not state it.',
      resolve: ({ document: doc }) => objectOrNull(doc.contractTerms),
    }),
    isDigital: t.boolean({
      description: 'Whether the work is digital. Null when the document does not state it.',
      resolve: ({ document: doc }) => (typeof doc.isDigital === 'boolean' ? doc.isDigital : null),
    }),
    digitalComponents: t.field({
      type: [HashedFile],
      nullable: { list: true, items: false },
      description: `The files that a digital work itself consists of, by hash; the first ${maxItems}. Null when the document does not state it.`,
      resolve: ({ document }) => digitalComponents(document),
    }),
    attachmentFiles: t.field({
      type: [HashedFile],
      nullable: { list: true, items: false },
      description: `The certificates, evidence and instructions that belong to the record; the first ${maxItems}. The document names them by hash only; whoever knows the CID of one can read it. Null when the document lists none.`,
      resolve: ({ document: doc }) => hashedFiles(doc.attachmentFiles),
    }),
    chipUIDs: t.stringList({
      nullable: { list: true, items: false },
      description: `The UIDs of the record’s NFC tags; the first ${maxItems}. The deprecated alias field is read when the document has no chipUIDs. Null when the document lists none.`,
      resolve: ({ document }) => chipUIDs(document),
    }),
    raw: t.field({
      type: 'JSON',
      nullable: false,
      description: 'The whole JSON document, unknown fields included.',
      resolve: ({ document: doc }) => doc,
    }),
  }),
});

/** A metadata result if it has a document, else null. */
export const metadataOf = (result: MetadataResult): ShownDocument | null =>
  result.document && result.id !== undefined ? (result as ShownDocument) : null;

const MetadataDocument = builder.objectRef<MetadataResult & { cid: string }>('MetadataDocument').implement({
  description: 'A metadata document on IPFS, found by its CID, whether or not a record uses it.',
  fields: (t) => ({
    cid: t.field({
      type: 'CID',
      nullable: false,
      description: 'The CID in the query.',
      resolve: ({ cid }) => cid,
    }),
    status: t.field({
      type: MetadataStatusEnum,
      nullable: false,
      description: 'Whether the document is available, and if not, why.',
      resolve: ({ status }) => status,
    }),
    metadata: t.field({
      type: SRRMetadata,
      description:
        'The document as typed fields. Null when it is not available or not a JSON object; status says why.',
      resolve: metadataOf,
    }),
    raw: t.field({
      type: 'JSON',
      description: 'The whole JSON document, unknown fields included. Null when metadata is null.',
      resolve: ({ document }) => document ?? null,
    }),
  }),
});

builder.queryField('metadata', (t) =>
  t.field({
    type: MetadataDocument,
    nullable: false,
    description: 'Fetches a metadata document from IPFS by its CID and checks its bytes against the CID.',
    args: { cid: t.arg({ type: 'CID', required: true, description: 'The CID of the document.' }) },
    resolve: async (_root, { cid }, { loaders }) => ({ ...(await loaders.namedMetadata({ cid })), cid }),
  }),
);
