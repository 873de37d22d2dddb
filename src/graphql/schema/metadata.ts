import type { MetadataResult } from '../../catalog/catalog.ts';
import {
  chipUIDs,
  digitalComponents,
  hashedFiles,
  integerOf,
  type JsonObject,
  languageMap,
  linkOf,
  numberOf,
  objectOrNull,
  rawCid,
  textOf,
} from '../../catalog/metadata-accessors.ts';
import { fileCategories } from '../../model/file.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { FileCategoryEnum } from './file-category.ts';
import { Media } from './media.ts';
import { MetadataStatusEnum } from './metadata-status.ts';
import { pickLanguage } from './pick-language.ts';

const textIn = (
  all: Record<string, string>,
  wanted: readonly string[] | null | undefined,
  context: Context,
) => pickLanguage(all, [...(wanted ?? []), ...context.languages, 'en']);

const LocalizedText = builder.objectRef<Record<string, string>>('LocalizedText').implement({
  description: 'A text in one or more languages.',
  fields: (t) => ({
    text: t.string({
      nullable: false,
      description:
        'The text in the first available language: those of the argument, then Accept-Language, then English, then any.',
      args: {
        languages: t.arg.stringList({
          description: 'The wanted languages as BCP-47 tags, the most wanted first.',
        }),
      },
      resolve: (all, { languages }, context) => textIn(all, languages, context).text,
    }),
    language: t.string({
      description:
        'The language of that text as a BCP-47 tag, for lang= in a page. Null when the document names no language.',
      args: {
        languages: t.arg.stringList({
          description: 'The same languages as for text.',
        }),
      },
      resolve: (all, { languages }, context) => {
        const { language } = textIn(all, languages, context);
        return language === 'und' ? null : language;
      },
    }),
    all: t.field({
      type: 'LanguageMap',
      nullable: false,
      description: 'The text in every language that the document has; "und" marks a text without a language.',
      resolve: (all) => all,
    }),
  }),
});

const HashedFile = builder.objectRef<{ hash: string; category: string }>('HashedFile').implement({
  description: 'A file that belongs to a record, identified by its hash.',
  fields: (t) => ({
    hash: t.exposeString('hash', {
      nullable: false,
      description: 'The hash of the file’s content, as sha256-<hex>.',
    }),
    category: t.exposeString('category', {
      nullable: false,
      description:
        'The category of the file as the document writes it, such as artwork. Empty when the document names none. fileCategory has it as an enum.',
    }),
    fileCategory: t.field({
      type: FileCategoryEnum,
      description: 'The category of the file. Null when the document names none, or one that is not known.',
      resolve: ({ category }) => fileCategories.find((one) => one === category),
    }),
    cid: t.field({
      type: 'CID',
      description:
        'The CID that follows from the hash: of the content as one block. Large files are on IPFS in several blocks, under another CID. Null for another kind of hash.',
      resolve: ({ hash }) => rawCid(hash),
    }),
    url: t.field({
      type: 'URL',
      description:
        'The address where a browser can load the file by that CID, if the IPFS gateway has it. Null when cid is null.',
      resolve: ({ hash }, _args, { loaders }) => loaders.reads.media(rawCid(hash) ?? '')?.url,
    }),
  }),
});

const sizeUnits = ['mm', 'cm', 'm', 'in', 'ft', 'pixel'] as const;

const SizeUnit = builder.enumType('SizeUnit', {
  description: 'The units of a size, as the metadata schema has them.',
  values: {
    MM: { value: 'mm', description: 'Millimetres.' },
    CM: { value: 'cm', description: 'Centimetres.' },
    M: { value: 'm', description: 'Metres.' },
    IN: { value: 'in', description: 'Inches.' },
    FT: { value: 'ft', description: 'Feet.' },
    PIXEL: { value: 'pixel', description: 'Pixels.' },
  } as const,
});

const SRRSize = builder.objectRef<JsonObject>('SRRSize').implement({
  description: 'The size of the work.',
  fields: (t) => ({
    width: t.float({
      description: 'The width, as a number of `unit`. Null when the document does not state it.',
      resolve: (size) => numberOf(size.width),
    }),
    height: t.float({
      description: 'The height, as a number of `unit`. Null when the document does not state it.',
      resolve: (size) => numberOf(size.height),
    }),
    depth: t.float({
      description: 'The depth, as a number of `unit`. Null when the document does not state it.',
      resolve: (size) => numberOf(size.depth),
    }),
    unit: t.string({
      description:
        'The unit of the numbers as the document writes it; sizeUnit has it as an enum. Null when the document does not state it.',
      resolve: (size) => textOf(size.unit),
    }),
    sizeUnit: t.field({
      type: SizeUnit,
      description: 'The unit of the numbers. Null when the document names none, or one that is not known.',
      resolve: (size) => sizeUnits.find((unit) => unit === size.unit),
    }),
    flexibleDescription: t.field({
      type: LocalizedText,
      description:
        'A description of the size in words, by language, for works that numbers do not fit. Null when the document does not state it.',
      resolve: (size) => languageMap(size.flexibleDescription),
    }),
  }),
});

const SRREdition = builder.objectRef<JsonObject>('SRREdition').implement({
  description: 'The edition of the work: which copy of how many.',
  fields: (t) => ({
    uniqueness: t.string({
      description:
        'The uniqueness of the work as the metadata schema defines it, such as "unique work". Null when the document does not state it.',
      resolve: (edition) => textOf(edition.uniqueness),
    }),
    proofType: t.string({
      description:
        'The type of proof as the metadata schema defines it, such as "ED". Null when the document does not state it.',
      resolve: (edition) => textOf(edition.proofType),
    }),
    number: t.int({
      description: 'The number of this copy within the edition. Null when the document does not state it.',
      resolve: (edition) => integerOf(edition.number),
    }),
    totalNumber: t.int({
      description: 'The total number of copies in the edition. Null when the document does not state it.',
      resolve: (edition) => integerOf(edition.totalNumber),
    }),
    note: t.field({
      type: LocalizedText,
      description: 'A free-text note on the edition, by language. Null when the document does not state it.',
      resolve: (edition) => languageMap(edition.note),
    }),
  }),
});

const SRRContractTerms = builder.objectRef<JsonObject>('SRRContractTerms').implement({
  description: 'The terms of the contract that comes with the record.',
  fields: (t) => ({
    royaltyRate: t.float({
      description:
        'The royalty on a resale, in percent, as the document states it. Null when the document does not state it.',
      resolve: (terms) => numberOf(terms.royaltyRate),
    }),
    file: t.field({
      type: Media,
      description: 'The file with the text of the terms. Null when its address is not http(s) or IPFS.',
      resolve: (terms) => linkOf(terms.fileURL),
    }),
  }),
});

/** A document that can be shown. */
type ShownDocument = MetadataResult & Required<Pick<MetadataResult, 'document' | 'id'>>;

export const SRRMetadata = builder.node(builder.objectRef<ShownDocument>('SRRMetadata'), {
  id: {
    description: 'The global id of this document, by its CID: equal content has the same id in every record.',
    resolve: ({ id }) => id,
  },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'document' in value,
  loadOne: async (id, { loaders }) => metadataOf(await loaders.reads.metadataById(id)),
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
      description:
        'The files that a digital work itself consists of, by hash. Null when the document does not state it.',
      resolve: ({ document }) => digitalComponents(document),
    }),
    attachmentFiles: t.field({
      type: [HashedFile],
      nullable: { list: true, items: false },
      description:
        'The certificates, evidence and instructions that belong to the record. The document names them by hash only; whoever knows the CID of one can read it. Null when the document lists none.',
      resolve: ({ document: doc }) => hashedFiles(doc.attachmentFiles),
    }),
    chipUIDs: t.stringList({
      nullable: { list: true, items: false },
      description:
        'The UIDs of the record’s NFC tags. The deprecated alias field is read when the document has no chipUIDs. Null when the document lists none.',
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

/** What a metadata read has to show; null when it has no document. */
export const metadataOf = (result: MetadataResult): ShownDocument | null =>
  result.document && result.id !== undefined ? (result as ShownDocument) : null;

const MetadataDocument = builder.objectRef<MetadataResult & { cid: string }>('MetadataDocument').implement({
  description: 'A metadata document, looked up by its CID on IPFS, whether or not a record uses it.',
  fields: (t) => ({
    cid: t.field({
      type: 'CID',
      nullable: false,
      description: 'The CID that was asked for.',
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
    resolve: async (_root, { cid }, { loaders }) => ({ ...(await loaders.reads.metadata(cid)), cid }),
  }),
);
